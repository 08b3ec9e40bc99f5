"""Buttons pressed while a real worker is asking: they act within a second."""

from __future__ import annotations

import time

from benchmarks.mock_server import Remote
from scoring import runs, tasks
from scoring.engine import workers
from scoring.models import Response, Run, Worker
from tests.engine.conftest import Engine, until
from tests.engine.making import endpoint, started, version


def under_way(engine: Engine, mock: Remote, latency: float = 0.2) -> Run:
    """Start a run with a worker, and wait until it has its first answers."""
    mock.control(latency=latency)
    run = started(version(2000), endpoint(mock.url, most=10))
    engine.worker()
    engine.beat()
    tasks.ring_for(run)
    until(lambda: done(run) > 10)
    return run


def done(run: Run) -> int:
    return Response.objects.filter(run=run, state="done").count()


def test_it_sends_nothing_a_second_after_pause_and_stores_what_was_in_flight(
    engine: Engine, mock: Remote
) -> None:
    run = under_way(engine, mock)
    runs.pause(run)
    time.sleep(1)
    sent = mock.counts()["requests"]
    time.sleep(1)
    assert mock.counts()["requests"] == sent
    assert done(run) == sent
    assert not Response.objects.filter(run=run, state="asking").exists()


def test_it_goes_on_within_seconds_of_resume(engine: Engine, mock: Remote) -> None:
    run = under_way(engine, mock)
    runs.pause(run)
    time.sleep(1.5)
    before = done(run)
    runs.resume(run)
    tasks.ring_for(run)
    until(lambda: done(run) > before, 3)
    assert Run.objects.get(pk=run.pk).state == Run.State.RUNNING


def test_it_drops_what_is_in_flight_when_cancelled(engine: Engine, mock: Remote) -> None:
    run = under_way(engine, mock, latency=3)
    runs.cancel(run)
    stored = done(run)
    time.sleep(1)
    assert mock.counts()["in_flight"] == 0
    time.sleep(3)
    assert done(run) == stored
    assert Run.objects.get(pk=run.pk).state == Run.State.CANCELLED


def test_it_follows_the_endpoints_maximum_while_asking(engine: Engine, mock: Remote) -> None:
    run = under_way(engine, mock)
    run.endpoint.max_concurrency = 3
    run.endpoint.save()
    until(lambda: mock.counts()["in_flight"] <= 3, 5)
    time.sleep(0.5)
    assert mock.counts()["in_flight"] <= 3


def test_it_knows_which_queues_are_heard(engine: Engine, mock: Remote) -> None:
    assert not workers.listening("inference")
    worker = engine.worker("inference,default")
    until(lambda: workers.listening("inference"))
    assert workers.silent_queues() == ["judging", "scoring"]
    worker.terminate()
    worker.wait(30)
    assert not Worker.objects.exists()
    assert not workers.listening("inference")


def test_it_leaves_a_run_that_another_worker_takes_up_when_told_to_stop(engine: Engine, mock: Remote) -> None:
    mock.control(latency=0.2)
    run = started(version(200), endpoint(mock.url, most=10))
    first = engine.worker()
    engine.beat()
    until(lambda: done(run) > 10)
    first.terminate()
    first.wait(30)
    assert not Response.objects.filter(run=run, state="asking").exists()
    engine.worker()
    until(lambda: Run.objects.get(pk=run.pk).state == Run.State.FINAL)
    assert mock.counts()["requests"] == 200
