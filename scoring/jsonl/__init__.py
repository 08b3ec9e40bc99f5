"""Bytes of a file go in, JSON objects come out, or the reasons why not."""
