"""One file is one metric: the value of one response, and the evidence for it."""
