"""A run goes in; its results, marks and verdicts come out as JSON, JSON lines, CSV or Parquet, in pieces."""
