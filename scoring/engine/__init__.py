"""The engine of runs: questions that wait go in, stored answers come out, whatever dies in between."""
