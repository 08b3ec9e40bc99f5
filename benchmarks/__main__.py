"""Run every benchmark, bench_*.py, or those named, one after another; exit with 1 if a target is missed."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from benchmarks.table import Row, print_table


def main() -> int:
    """Measure, print, and say whether every target was met."""
    rows: list[Row] = []
    for name in sys.argv[1:] or _all():
        print(f"{name} …", file=sys.stderr, flush=True)
        rows += import_module(f"benchmarks.bench_{name}").measure()
    print_table(rows)
    return int(any(row.met is False for row in rows))


def _all() -> list[str]:
    return sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))


if __name__ == "__main__":
    sys.exit(main())
