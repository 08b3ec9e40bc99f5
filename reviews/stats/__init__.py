"""One file is one statistic on the marks of people: a panel of marks in, a Statistic out, without Django."""
