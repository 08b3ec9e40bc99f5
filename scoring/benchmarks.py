"""A suite goes in, its benchmarks come out: its own, and for CCoP those that admins registered."""

from __future__ import annotations

from scoring import registry
from scoring.models import CustomBenchmark
from scoring.rows import Benchmark


def known(suite: str) -> dict[str, Benchmark]:
    """List a suite's benchmarks by code."""
    own: dict[str, Benchmark] = dict(registry.plugin("scoring.suites", suite).BENCHMARKS)
    if suite == "ccop":
        own |= {row.code: _benchmark(row) for row in CustomBenchmark.objects.all()}
    return own


def categories() -> list[str]:
    """List the categories of the CCoP benchmarks, in their order."""
    return list(dict.fromkeys(benchmark.category for benchmark in known("ccop").values()))


def _benchmark(row: CustomBenchmark) -> Benchmark:
    return Benchmark(row.code, row.name, row.category, row.route)
