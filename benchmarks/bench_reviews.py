"""Reviewers at work: how long the next item, a submission and the report on agreement take, at any size.

Twenty reviewers work at once, in a process of two for ten of them each, as a server has them. First they
think for a second, which is still far quicker than people are; then they do not think at all, so that
twenty requests are always under way and the machine is the limit.
"""

from __future__ import annotations

import os
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from statistics import median, quantiles
from typing import NamedTuple

from benchmarks import private_portal
from benchmarks.table import Row

REVIEWERS, PROCESSES, EACH = 20, 2, 25
SIZES = (1_000, 100_000)
NEXT_MS, SUBMIT_MS = 30.0, 50.0
ANSWERS, PANEL = 10_000, 3


class Times(NamedTuple):
    """Milliseconds of each call."""

    next: list[float]
    submit: list[float]


def measure() -> list[Row]:
    """Measure on a database of our own."""
    return private_portal.rows_of("benchmarks.bench_reviews")


def main() -> None:
    """Fill the database, measure, and hand the rows over."""
    private_portal.set_up()
    from benchmarks import many_reviews

    many_reviews.make_past()
    rows: list[Row] = []
    for size in SIZES:
        many_reviews.open_items(size)
        _at_work(0.0, each=3)  # Connections and caches are there when reviewers come.
        for thinking, how in ((1.0, "thinking for 1 s"), (0.0, "without a pause")):
            rows += _rows(size, how, _at_work(thinking), target=thinking > 0)
        many_reviews.clear()
    rows += _drawing() + _report()
    private_portal.give(rows)


def _rows(size: int, how: str, times: Times, *, target: bool) -> list[Row]:
    rows = []
    for name, took, most in (("next item", times.next, NEXT_MS), ("submit", times.submit, SUBMIT_MS)):
        p95 = quantiles(took, n=20)[-1]
        rows.append(
            Row(
                f"{name}, {size:,} open, 1,040,000 marks, {REVIEWERS} reviewers {how}",
                f"p50 {median(took):.1f} ms, p95 {p95:.1f} ms",
                f"p95 <= {most:.0f} ms" if target else "",
                p95 <= most if target else None,
            )
        )
    return rows


def _at_work(thinking: float, each: int = EACH) -> Times:
    share = REVIEWERS // PROCESSES
    # A forked process would speak through its parent's connection.
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        parts = list(
            pool.map(_some, [range(1 + n * share, 1 + (n + 1) * share) for n in range(PROCESSES)],
                     [thinking] * PROCESSES, [each] * PROCESSES)
        )  # fmt: skip
    return Times([ms for part in parts for ms in part.next], [ms for part in parts for ms in part.submit])


def _some(people: range, thinking: float, each: int) -> Times:
    import django

    django.setup()
    with ThreadPoolExecutor(len(people)) as pool:
        parts = list(pool.map(lambda pk: _one(pk, thinking, each), people))
    return Times([ms for part in parts for ms in part.next], [ms for part in parts for ms in part.submit])


def _one(pk: int, thinking: float, each: int) -> Times:
    from django.db import connection

    from evalportal.models import Person
    from reviews import assignments, submissions

    person, rng, times = Person.objects.get(pk=pk), random.Random(pk), Times([], [])
    for turn in range(each):
        time.sleep(thinking * rng.uniform(0.5, 1.5))
        begun = time.perf_counter()
        found = assignments.next(person)
        times.next.append(1000 * (time.perf_counter() - begun))
        assert found
        time.sleep(thinking * rng.uniform(0.5, 1.5))
        marks = {key: rng.randint(3, 4) for key in ("accuracy", "completeness", "practicality", "clarity")}
        begun = time.perf_counter()
        submissions.submit(found.pk, person, marks, token=f"{pk}-{turn}-{os.getpid()}", seconds=45.0)
        times.submit.append(1000 * (time.perf_counter() - begun))
    connection.close()
    return times


def _drawing() -> list[Row]:
    from benchmarks import many_reviews
    from reviews import sampling
    from scoring.models import Run

    many_reviews.open_items(100_000)
    many_reviews.clear()
    begun = time.perf_counter()
    count = sum(sampling.draw(run) for run in Run.objects.filter(state=Run.State.AWAITING_REVIEW))
    took = time.perf_counter() - begun
    return [
        Row(f"drawing {count:,} items from {many_reviews.RUNS} runs", f"{took:.1f} s", "< 20 s", took < 20)
    ]


def _report() -> list[Row]:
    from benchmarks import many_reviews
    from reviews import agreement
    from scoring.models import Run

    run = Run.objects.get(pk=many_reviews.marked_run(ANSWERS, PANEL))
    cold, warm = _seconds(run, agreement.report), min(_seconds(run, agreement.report) for _ in range(5))
    what = f"agreement of {ANSWERS:,} answers x {PANEL} reviewers x 4 criteria"
    return [
        Row(f"{what}, cold", f"{cold:.2f} s", "<= 2 s", cold <= 2),
        Row(f"{what}, warm", f"{1000 * warm:.0f} ms", "<= 100 ms", warm <= 0.1),
    ]


def _seconds(run: object, work: object) -> float:
    begun = time.perf_counter()
    work(run)  # type: ignore[operator]
    return time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
