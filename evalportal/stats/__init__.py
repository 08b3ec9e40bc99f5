"""One file is one statistic on runs: the scores of cases in, a Statistic out, without Django."""
