"""Run every benchmark, bench_*.py, one after another; exit with 1 if a target is missed."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from benchmarks.table import Row, print_table


def main() -> int:
    """Measure, print, and say whether every target was met."""
    rows: list[Row] = []
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        print(f"{path.stem} …", file=sys.stderr, flush=True)
        module = import_module(f"benchmarks.{path.stem}")
        if hasattr(module, "measure"):
            rows += module.measure()
        else:
            module.main()
    print_table(rows)
    return int(any(row.met is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
