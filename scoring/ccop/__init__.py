"""The CCoP 2.0 baseline methodology: what its benchmarks, its labels, its facts and its Code are."""
