"""Runs against a mock model server: how near to the ideal they come, whether scores keep up, their memory.

Efficiency is ideal time / wall time, and ideal time is requests x latency / requests in flight; asking,
storing and the end of the run are all included.
"""

from __future__ import annotations

import logging
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import mock_server, private_portal
from benchmarks.table import Row

REQUESTS, LATENCY = 2_000, 0.5
EFFICIENCY = {100: 0.85, 200: 0.60}
LATER = 0.05
MANY, MORE_MB = 100_000, 50


def measure() -> list[Row]:
    """Ask, score and store as workers do, in a portal of its own."""
    return private_portal.rows_of("benchmarks.bench_runs")


def main() -> None:
    """Measure in this process, whose memory and processor time are its own."""
    _set_up()
    _efficiency(100, latency=0.0, requests=200)  # A worker has long loaded what the first prompts load.
    rows = [row for most in EFFICIENCY for row in _efficiency_rows(most)]
    private_portal.give([*rows, _scoring_row(), _memory_row()])


def _set_up() -> None:
    private_portal.set_up()
    logging.disable(logging.INFO)


def _efficiency_rows(most: int) -> list[Row]:
    found, processor = _efficiency(most)
    what = f"{REQUESTS:,} requests of {LATENCY * 1000:.0f} ms, {most} in flight"
    least = EFFICIENCY[most]
    return [
        Row(f"{what}: efficiency", f"{found:.2f}", f">= {least:.2f}", found >= least),
        Row(f"{what}: processor", f"{processor * 1000:.2f} ms each", "", None),
    ]


def _efficiency(most: int, latency: float = LATENCY, requests: int = REQUESTS) -> tuple[float, float]:
    """Run to the last stored answer; return the efficiency, and the processor seconds of a request."""
    with _run(requests, latency, most) as run:
        started, processor = time.perf_counter(), time.process_time()
        _ask_all(run)
        wall, used = time.perf_counter() - started, time.process_time() - processor
    return requests * latency / most / wall, used / requests


def _scoring_row(requests: int = 600, latency: float = 2.0, most: int = 40) -> Row:
    """Score while asking, in a process of its own as workers do, and see how much later that ends.

    Each answer has five sentences that no other has: nothing comes from the cache of embeddings.
    """
    from scoring.models import Run
    from tests.engine.making import echo, started, version

    asked = echo(delay=latency)
    asked.max_concurrency = most
    asked.save()
    run = started(version(requests, words=_TALK), asked)
    with subprocess.Popen([sys.executable, "-m", "benchmarks.bench_runs", "score", str(run.pk)]) as scorer:
        begun = time.perf_counter()
        _ask_all(run)
        answered = time.perf_counter() - begun
        while scorer.poll() is None and Run.objects.get(pk=run.pk).state in Run.UNDER_WAY:
            time.sleep(0.05)
        scored = time.perf_counter() - begun
    assert not scorer.returncode, "the scorer failed"
    what = f"{requests} answers of five sentences, {requests / answered:.0f} a second: scored"
    later = scored / answered - 1
    figure = f"{later:.1%} after {answered:.0f} s of asking"
    return Row(what, figure, f"<= {LATER:.0%} later", later <= LATER)


def score(run_id: int) -> None:
    """Score a run until nothing of it is left to score."""
    from scoring import scores
    from scoring.engine import bells
    from scoring.models import Run

    while Run.objects.get(pk=run_id).state in Run.UNDER_WAY:
        scores.score(run_id, ring=bells.silent)
        time.sleep(0.1)


def _memory_row() -> Row:
    """Watch the memory over many answers, at the end of each quarter."""
    sizes: list[float] = []
    with _run(MANY, 0.0, 50) as run:
        done, marks = threading.Event(), [MANY * quarter // 4 for quarter in (1, 2, 3, 4)]
        watcher = threading.Thread(target=_watch, args=(run, marks, sizes, done))
        watcher.start()
        _ask_all(run)
        done.set()
        watcher.join()
    figure = f"{', '.join(f'{size:.0f}' for size in sizes)} MB"
    what = f"memory after each quarter of {MANY:,} answers"
    return Row(what, figure, f"+ < {MORE_MB} MB", sizes[-1] - sizes[0] < MORE_MB)


def _watch(run: Any, marks: list[int], sizes: list[float], done: threading.Event) -> None:
    from django.db import connection

    while marks:
        count = run.responses.filter(state="done").count()
        if count >= marks[0] or done.is_set():
            sizes.append(_resident())
            marks.pop(0)
        done.wait(0.5)
    connection.close()


@contextmanager
def _run(requests: int, latency: float, most: int) -> Iterator[Any]:
    from tests.engine.making import endpoint, started, version

    with mock_server.running("--latency", str(latency)) as mock:
        run = started(version(requests), endpoint(mock.url, most=most))
        yield run
        assert run.responses.filter(state="done").count() == requests, "not every answer was stored"
        assert mock.counts()["requests"] == requests, "a prompt was asked twice"


def _ask_all(run: Any) -> None:
    """Take as many turns at the endpoint as the run needs."""
    from scoring.engine import asking, bells

    while run.responses.exclude(state__in=("done", "failed")).exists():
        asking.serve(run.endpoint_id, ring=bells.silent)


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


_TALK = (
    "Owner {number} keeps them for twelve months. Team {number} reviews them every week. Auditor {number} "
    "asks for the evidence. Nobody but administrator {number} may delete them."
)

if __name__ == "__main__":
    if sys.argv[1:2] == ["score"]:
        _set_up()
        score(int(sys.argv[2]))
    else:
        main()
