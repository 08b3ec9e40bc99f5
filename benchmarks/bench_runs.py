"""Runs against a mock model server: how near to the ideal they come, their memory, whether scores keep up.

`python -m benchmarks.bench_runs` prints a table. Efficiency is ideal time / wall time, and ideal time is
requests x latency / requests in flight; asking, storing and the end of the run are all included.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--in-flight", type=int, nargs="+", default=[100, 200])
    parser.add_argument(
        "--memory", type=int, default=20_000, help="how many answers to watch the memory over"
    )
    parser.add_argument("--skip-scoring", action="store_true")
    options = parser.parse_args()
    _set_up()
    print(f"{options.requests} requests of {options.latency * 1000:.0f} ms, storing included")
    print(f"{'in flight':>10}{'ideal':>9}{'wall':>9}{'efficiency':>12}{'CPU/request':>13}")
    for most in options.in_flight:
        _efficiency(options.requests, options.latency, most)
    if options.memory:
        _memory(options.memory)
    if not options.skip_scoring:
        _scoring()


def _efficiency(requests: int, latency: float, most: int) -> None:
    from scoring.engine import asking, bells

    with _run(requests, latency, most) as run:
        started, processor = time.perf_counter(), time.process_time()
        asking.serve(run.endpoint_id, ring=bells.silent)
        wall, used = time.perf_counter() - started, time.process_time() - processor
        _check(run, requests)
    ideal = requests * latency / most
    per_request = used / requests * 1000
    print(f"{most:>10}{ideal:>8.1f}s{wall:>8.1f}s{ideal / wall:>12.2f}{per_request:>10.2f} ms")


def _memory(requests: int) -> None:
    """Watch the memory over many answers, a quarter at a time."""
    from scoring.engine import asking, bells

    peaks: list[tuple[int, float]] = []
    with _run(requests, 0.0, 50) as run:
        done, marks = threading.Event(), [requests * quarter // 4 for quarter in (1, 2, 3, 4)]
        watcher = threading.Thread(target=_watch, args=(run, marks, peaks, done))
        watcher.start()
        asking.serve(run.endpoint_id, ring=bells.silent)
        done.set()
        watcher.join()
        _check(run, requests)
    told = ", ".join(f"{count} answers {size:.0f} MB" for count, size in peaks)
    print(f"memory: {told}")


def _watch(run: Any, marks: list[int], peaks: list[tuple[int, float]], done: threading.Event) -> None:
    from django.db import connection

    while marks:
        count = run.responses.filter(state="done").count()
        if count >= marks[0] or done.is_set():
            peaks.append((marks.pop(0), _resident()))
        done.wait(0.2)
    connection.close()


def _scoring(requests: int = 600, latency: float = 2.0, most: int = 40) -> None:
    """Score while asking, in a process of its own as workers do, and see how much later that ends.

    Each answer has five sentences that no other has: nothing comes from the cache of embeddings.
    """
    from scoring.engine import asking, bells
    from scoring.models import Run
    from tests.engine.making import echo, started, version

    asked = echo(delay=latency)
    asked.max_concurrency = most
    asked.save()
    run = started(version(requests, words=_TALK), asked)
    scorer = subprocess.Popen([sys.executable, "-c", _SCORER, str(run.pk)])
    begun = time.perf_counter()
    asking.serve(run.endpoint_id, ring=bells.silent)
    answered = time.perf_counter() - begun
    while Run.objects.get(pk=run.pk).state in Run.UNDER_WAY:
        time.sleep(0.05)
    scored = time.perf_counter() - begun
    scorer.wait()
    print(f"scoring of {requests} answers of five sentences, {requests / answered:.0f} answers a second:")
    print(f"answered after {answered:.1f} s, scored after {scored:.1f} s, {scored / answered - 1:.1%} later")


_TALK = (
    "Owner {number} keeps them for twelve months. Team {number} reviews them every week. Auditor {number} "
    "asks for the evidence. Nobody but administrator {number} may delete them."
)
_SCORER = """
import sys, time
from benchmarks.bench_runs import _django
_django()
from scoring import scores
from scoring.engine import bells
from scoring.models import Run
while Run.objects.get(pk=int(sys.argv[1])).state in Run.UNDER_WAY:
    scores.score(int(sys.argv[1]), ring=bells.silent)
    time.sleep(0.2)
"""


@contextmanager
def _run(requests: int, latency: float, most: int) -> Iterator[Any]:
    from benchmarks import mock_server
    from tests.engine.making import endpoint, started, version

    with mock_server.running("--latency", str(latency)) as mock:
        yield started(version(requests), endpoint(mock.url, most=most))


def _check(run: Any, requests: int) -> None:
    assert run.responses.filter(state="done").count() == requests, "not every answer was stored"


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1]) if sys.platform == "linux" else 0
    return pages * resource.getpagesize() / 2**20


def _set_up() -> None:
    from evalportal.embedded import throwaway

    throwaway.start()
    _django()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def _django() -> None:
    import logging
    import os

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalportal.settings")
    import django

    django.setup()
    logging.disable(logging.INFO)


if __name__ == "__main__":
    main()
