"""Reviewers at work: how long the next item, a submission and the report on agreement take, at any size.

Twenty reviewers work at once, in a process of two for ten of them each, as a server has them. What is timed
is the whole request, from the session to the page: for the next item, being handed it and its page. First
they think for a second, which is still far quicker than people are; then they do not think at all, so that
twenty requests are always under way and the machine is the limit.

Server time is the processor time of the request's thread and of its process in the database, as the kernel
counts it (proc_pid_schedstat): what is left of a request when nothing else runs on the machine. The clock
stands beside it: that has the waits for locks and the disk in it too, and those for whatever else the
machine does, here the nineteen other reviewers themselves.
"""

from __future__ import annotations

import os
import random
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

from benchmarks import private_portal
from benchmarks.table import Row

REVIEWERS, PROCESSES, EACH = 20, 2, 25
SIZES = (1_000, 100_000)
NEXT_MS, SUBMIT_MS = 30.0, 50.0
ANSWERS, PANEL = 10_000, 3
BY_SCRIPT = {"X-Requested-With": "fetch"}
CRITERIA = ("accuracy", "completeness", "practicality", "clarity")


class Taken(NamedTuple):
    """Milliseconds of one request, in all and of server time."""

    wall: float
    server: float


class Times(NamedTuple):
    """How long every request took."""

    next: list[Taken]
    submit: list[Taken]


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
        server, wall = _p95([one.server for one in took]), _p95([one.wall for one in took])
        half = median(one.server for one in took)
        rows.append(
            Row(
                f"{name}, {size:,} open, 1,040,000 marks, {REVIEWERS} reviewers {how}",
                f"server p50 {half:.1f} ms, p95 {server:.1f} ms; on the clock p95 {wall:.1f} ms",
                f"p95 <= {most:.0f} ms" if target else "",
                server <= most if target else None,
            )
        )
    return rows


def _p95(took: list[float]) -> float:
    return quantiles(took, n=20)[-1]


def _at_work(thinking: float, each: int = EACH) -> Times:
    share = REVIEWERS // PROCESSES
    # A forked process would speak through its parent's connection.
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        parts = list(
            pool.map(_some, [range(1 + n * share, 1 + (n + 1) * share) for n in range(PROCESSES)],
                     [thinking] * PROCESSES, [each] * PROCESSES)
        )  # fmt: skip
    return Times([one for part in parts for one in part.next], [one for part in parts for one in part.submit])


def _some(people: range, thinking: float, each: int) -> Times:
    import django

    django.setup()
    from django.conf import settings

    # Pages without the build of their style sheets, and hosts as the test client names them.
    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.ALLOWED_HOSTS.append("testserver")
    with ThreadPoolExecutor(len(people)) as pool:
        parts = list(pool.map(lambda pk: _one(pk, thinking, each), people))
    return Times([one for part in parts for one in part.next], [one for part in parts for one in part.submit])


def _one(pk: int, thinking: float, each: int) -> Times:
    from django.db import connection
    from django.test import Client

    from evalportal.models import Person

    client, rng, times = Client(), random.Random(pk), Times([], [])
    client.force_login(Person.objects.get(pk=pk))
    for turn in range(each):
        time.sleep(thinking * rng.uniform(0.5, 1.5))
        with _Clock(times.next):
            page = client.get("/queue/next/", headers=BY_SCRIPT)
        path = page["X-Review-Path"]
        time.sleep(thinking * rng.uniform(0.5, 1.5))
        form = {f"mark-{key}": str(rng.randint(3, 4)) for key in CRITERIA}
        form |= {"token": f"{pk}-{turn}-{os.getpid()}", "seconds": "45.0"}
        with _Clock(times.submit):
            answer = client.post(f"{path}submit/", form, headers=BY_SCRIPT)
        assert answer.json()["next"] == "/queue/next/"
    connection.close()
    return times


class _Clock:
    """Times what is done within it."""

    def __init__(self, times: list[Taken]) -> None:
        from django.db import connection

        connection.ensure_connection()
        backend = connection.connection.info.backend_pid
        self._times, self._database = times, Path(f"/proc/{backend}/schedstat")

    def __enter__(self) -> None:
        self._worked, self._begun = self._working(), time.perf_counter()

    def __exit__(self, *error: Any) -> None:
        wall = time.perf_counter() - self._begun
        self._times.append(Taken(1000 * wall, 1000 * (self._working() - self._worked)))

    def _working(self) -> float:
        """Give the seconds that the thread and the database have had a processor so far."""
        return time.thread_time() + int(self._database.read_text().split()[0]) / 1e9


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
    times: list[Taken] = []
    for _ in range(4):
        with _Clock(times):
            agreement.report(run)
    cold, *warm = times
    what = f"agreement of {ANSWERS:,} answers x {PANEL} reviewers x 4 criteria"
    slowest = max(one.server for one in warm)
    figure = f"server {cold.server / 1000:.2f} s, on the clock {cold.wall / 1000:.2f} s"
    return [
        Row(f"{what}, cold", figure, "<= 2 s", cold.server <= 2000),
        Row(f"{what}, warm", f"server {slowest:.0f} ms at most", "<= 100 ms", slowest <= 100),
    ]


if __name__ == "__main__":
    main()
