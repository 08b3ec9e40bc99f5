"""Boards: a leaderboard of 8 million scores, a comparison, a diagnosis, and old runs piling up."""

from __future__ import annotations

import time
from statistics import median, quantiles
from typing import Any

from benchmarks import many_runs, private_portal
from benchmarks.table import Row

RUNS, CASES = 200, 5_000
TIMES = 40
BOARD_MS, RUN_MS, COMPARISON_SECONDS = 150, 200, 1.0


def measure() -> list[Row]:
    """Ask for the pages through Django, as a signed-in manager."""
    return private_portal.rows_of("benchmarks.bench_boards")


def main() -> None:
    """Make the runs, then measure every page."""
    private_portal.set_up()
    client = _client()
    few = many_runs.make(10, CASES, prefix="few")
    _analyse()
    alone = median(_get(client, _compare(*few[first : first + 2])) for first in range(0, len(few) - 2, 2))
    _upkeep()
    before = _times(client, f"/leaderboard/?version={few[0].version_id}")
    runs = many_runs.make(RUNS, CASES)
    _analyse()
    kept = _upkeep()
    first = _get(client, f"/leaderboard/?version={runs[0].version_id}")
    board = _times(client, f"/leaderboard/?version={runs[0].version_id}")
    added = many_runs.make_run(runs[0].version, RUNS)
    one_more = _upkeep()
    after = _times(client, f"/leaderboard/?version={few[0].version_id}")
    compared = _times(client, _compare(runs[0], added))
    [large] = many_runs.make(1, 100_000, prefix="large")
    _analyse()
    _upkeep()
    page = _times(client, f"/runs/{large.pk}/")
    diagnosed = _get(client, f"/runs/{large.pk}/diagnosis/")
    again = _times(client, f"/runs/{large.pk}/diagnosis/")
    private_portal.give(
        [
            _p95(f"leaderboard of {RUNS} runs x {CASES:,} cases x 8 metrics, warm", board, BOARD_MS),
            Row("leaderboard: the same, not drawn yet", f"{first * 1000:.0f} ms", "", None),
            Row(f"worker: keep the figures of {RUNS} runs, and rank them", f"{kept:.1f} s", "", None),
            Row("worker: the same, of one run more", f"{one_more:.2f} s", "", None),
            _flat(before, after),
            Row(
                f"comparison of two runs x {CASES:,}, cold",
                f"{alone:.2f} s",
                f"<= {COMPARISON_SECONDS:.0f} s",
                alone <= COMPARISON_SECONDS,
            ),
            Row(f"comparison of two runs x {CASES:,}, warm", f"{median(compared):.0f} ms", "", None),
            _p95("run page of 100,000 cases, warm", page, RUN_MS),
            Row("diagnosis of 100,000 cases, cold", f"{diagnosed:.2f} s", "", None),
            Row("diagnosis of 100,000 cases, warm", f"{median(again):.0f} ms", "", None),
        ]
    )


def _compare(one: Any, other: Any) -> str:
    return f"/compare/?runs={one.pk},{other.pk}"


def _client() -> Any:
    from django.core.management import call_command
    from django.test import Client

    from evalportal.models import Person

    call_command("collectstatic", interactive=False, verbosity=0)
    client = Client()
    client.force_login(Person.objects.create_user("dan", name="Dan", role="manager"))
    client.get("/", headers={"host": "localhost"})
    return client


def _analyse() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")  # as PostgreSQL does by itself within a minute


def _get(client: Any, path: str) -> float:
    started = time.perf_counter()
    response = client.get(path, headers={"host": "localhost"})
    assert response.status_code == 200, (path, response.status_code)
    return time.perf_counter() - started


def _upkeep() -> float:
    """Do what a worker does when runs are scored."""
    from evalportal import upkeep

    started = time.perf_counter()
    assert upkeep.refresh()
    return time.perf_counter() - started


def _times(client: Any, path: str) -> list[float]:
    """Ask for a page again and again; milliseconds, without the first time."""
    _get(client, path)
    return [_get(client, path) * 1000 for _ in range(TIMES)]


def _p95(what: str, times: list[float], most: int) -> Row:
    p95 = quantiles(times, n=20)[-1]
    figure = f"p95 {p95:.0f} ms, median {median(times):.0f} ms"
    return Row(what, figure, f"p95 <= {most} ms", p95 <= most)


def _flat(before: list[float], after: list[float]) -> Row:
    """Compare a small board before and after many other runs came to the portal, by the fastest quarter."""
    then, now = (quantiles(times, n=4)[0] for times in (before, after))
    figure = f"{then:.0f} ms, {now:.0f} ms"
    what = f"leaderboard of 10 runs, before and after {RUNS} others"
    return Row(what, figure, "the same, + 50 %", now <= 1.5 * then)


if __name__ == "__main__":
    main()
