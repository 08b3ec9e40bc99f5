"""Import of 100,000 cases: how many rows a second, in how much memory, and what a small change costs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import many_cases, private_portal
from benchmarks.table import Row

CASES = 100_000


def measure() -> list[Row]:
    """Import a first version and a second one that differs in every hundredth case."""
    return private_portal.rows_of("benchmarks.bench_import")


def main() -> None:
    """Measure in this process, whose memory is its own."""
    var = private_portal.set_up()
    register_benchmarks()
    first, second = var / "first.jsonl", var / "second.jsonl"
    many_cases.write(first, CASES)
    many_cases.write(second, CASES, changed_every=100)
    started_with = _resident()
    seconds, resident = import_file(first)
    speed, middle, end = CASES / seconds, resident[len(resident) // 2], resident[-1]
    started = time.perf_counter()
    _prepare_search()
    searchable = time.perf_counter() - started
    again, _ = import_file(second)
    size = first.stat().st_size / CASES
    private_portal.give(
        [
            Row(
                f"import of {CASES:,} cases of {size / 1000:.1f} KB",
                f"{speed:,.0f} rows/s ({seconds:.1f} s)",
                ">= 10,000 rows/s",
                speed >= 10_000,
            ),
            Row("… until their words can be searched", f"{searchable:.1f} s more", "", None),
            Row("the next version, 1 % changed", f"{CASES / again:,.0f} rows/s ({again:.1f} s)", "", None),
            Row("memory at its most", f"{_peak():.0f} MB", "< 300 MB", _peak() < 300),
            Row(
                f"memory: before, after {CASES // 2:,} rows, after all",
                f"{started_with:.0f}, {middle:.0f}, {end:.0f} MB",
                "+ < 50 MB",
                end - middle < 50,
            ),
        ]
    )


def register_benchmarks() -> None:
    """Let B22 to B99 be benchmarks."""
    from scoring.models import CustomBenchmark

    for number in range(22, 100):
        CustomBenchmark.objects.create(
            code=f"B{number}", name=f"Own {number}", category="Our own", route="reasoning"
        )


def import_file(path: Path) -> tuple[float, list[float]]:
    """Import a file; return the seconds, and the memory as it was every 500 rows."""
    from scoring import cases
    from scoring.uploads import Source

    resident: list[float] = []
    started = time.perf_counter()
    outcome = cases.add(
        [Source(path.name, _chunks(path))],
        dataset="many",
        suite="ccop",
        progress=lambda rows: resident.append(_resident()),
    )
    assert outcome.is_new, outcome.problems.kept[:5]
    return time.perf_counter() - started, resident


def _prepare_search() -> None:
    from scoring import searching

    searching.prepare()


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(1024 * 1024):
            yield chunk


def _resident() -> float:
    return _status("VmRSS:")


def _peak() -> float:
    return _status("VmHWM:")


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))


if __name__ == "__main__":
    main()
