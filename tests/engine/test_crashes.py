"""Whatever is killed, flushed, stopped or restarted, every answer is stored, and stored once."""

from __future__ import annotations

import os
import random
import time

from benchmarks import mock_server
from benchmarks.mock_server import Remote
from scoring import runs, tasks
from scoring.models import Response, Run, Score
from tests.engine.conftest import Engine, until
from tests.engine.making import endpoint, started, version

KILLS = int(os.environ.get("EVALPORTAL_TEST_KILLS", "100"))


def state_of(run: Run) -> str:
    run.refresh_from_db()
    return run.state


def until_final(run: Run, seconds: float = 60) -> None:
    until(lambda: state_of(run) == "final", seconds)


def assert_whole(run: Run, wanted: int) -> None:
    """Every case has exactly one answer per sample, and exactly one score."""
    answered = Response.objects.filter(run=run, state="done").exclude(content="")
    assert answered.count() == wanted
    assert answered.values("case", "sample", "noise").distinct().count() == wanted
    assert Score.objects.filter(response__run=run).count() == wanted


def test_it_loses_and_doubles_nothing_under_many_kills(engine: Engine, mock: Remote) -> None:
    most, size = 8, 40 * KILLS
    mock.control(latency=0.6)
    asked = [endpoint(mock.url, most=most) for _ in range(2)]
    wanted = [started(version(size // 2, words=f"run {index}"), one) for index, one in enumerate(asked)]
    victims = _Victims(engine)
    in_flight = 0
    for kill in range(1, KILLS + 1):
        until(lambda: mock.counts()["in_flight"], 120)
        time.sleep(victims.dice.uniform(0, 0.6))
        in_flight += mock.counts()["in_flight"]
        victims.kill(kill)
    mock.control(latency=0.01)
    until(lambda: all(state_of(run) == "final" for run in wanted), 180)
    counts = mock.counts()
    for run in wanted:
        assert_whole(run, size // 2)
    assert counts["broken_off"]
    assert counts["requests"] - size <= in_flight
    assert counts["most_in_flight"] <= 2 * most
    until(engine.web_answers)


class _Victims:
    """Two workers, the broker and the web server, each of which is started again when it is killed."""

    QUEUES = ("inference,judging,default", "inference,judging,scoring,default")

    def __init__(self, engine: Engine) -> None:
        self.dice = random.Random(7)
        self._engine = engine
        self._workers = [engine.worker(own) for own in self.QUEUES]
        self._web = engine.web()
        engine.beat()

    def kill(self, number: int) -> None:
        """Kill the broker, the web server, or, eight times out of ten, a worker."""
        if number % 10 == 0:
            self._engine.broker.kill()
            self._engine.broker.start()
        elif number % 10 == 5:
            self._web.kill()
            self._web = self._engine.web()
        else:
            self.kill_worker()

    def kill_worker(self) -> None:
        which = self.dice.randrange(len(self._workers))
        self._workers[which].kill()
        self._workers[which] = self._engine.worker(self.QUEUES[which])


def test_it_loses_and_doubles_no_verdict_under_kills(engine: Engine, mock: Remote) -> None:
    mock.control(latency=0.3)
    run = started(
        version(60, suite="cybersec", benchmark="cybersecurity_answers"),
        endpoint(mock.url, most=4),
        judge=endpoint(mock.url, most=4),
        judge_votes=2,
        samples=2,
    )
    victims = _Victims(engine)
    in_flight = 0
    for _ in range(12):
        until(lambda: mock.counts()["in_flight"], 120)
        time.sleep(victims.dice.uniform(0, 0.6))
        in_flight += mock.counts()["in_flight"]
        victims.kill_worker()
    mock.control(latency=0.01)
    until_final(run, 120)
    assert_whole(run, 120)
    assert run.verdicts.filter(state="done").exclude(content="").count() == 240
    assert run.verdicts.values("response", "vote").distinct().count() == 240
    assert mock.counts()["requests"] - 120 - 240 <= in_flight


def test_it_goes_on_when_the_broker_forgets_everything(engine: Engine, mock: Remote) -> None:
    run = started(version(300), endpoint(mock.url, most=10))
    engine.worker()
    engine.beat()
    until(lambda: run.responses.filter(state="done").count() > 30)
    engine.broker.flush()
    until_final(run)
    assert_whole(run, 300)
    assert mock.counts()["requests"] == 300


def test_it_goes_on_when_the_broker_is_gone_for_a_while(engine: Engine, mock: Remote) -> None:
    engine.broker.kill()
    run = started(version(120), endpoint(mock.url, most=10))
    tasks.ring_for(run)
    engine.worker()
    engine.beat()
    time.sleep(4)
    engine.broker.start()
    until_final(run)
    assert_whole(run, 120)
    assert mock.counts()["requests"] == 120


def test_it_asks_and_pauses_at_once_while_the_broker_is_silent(engine: Engine, mock: Remote) -> None:
    mock.control(latency=0.2)
    run = started(version(400), endpoint(mock.url, most=10))
    engine.worker()
    engine.beat()
    until(lambda: run.responses.filter(state="done").count() > 20)
    with engine.broker.silent():
        before = run.responses.filter(state="done").count()
        until(lambda: run.responses.filter(state="done").count() > before + 60)
        runs.pause(run)
        until(lambda: not run.responses.filter(state="asking").exists(), 5)
    runs.resume(run)
    until_final(run)
    assert_whole(run, 400)
    assert mock.counts()["requests"] == 400


def test_it_keeps_its_workers_when_the_broker_dies_under_them(engine: Engine, mock: Remote) -> None:
    mock.control(latency=0.5)
    worker = engine.worker()
    engine.beat()
    for _ in range(3):
        run = started(version(60), endpoint(mock.url, most=10))
        until(run.responses.filter(state="done").exists)
        engine.broker.kill()
        engine.broker.start()
        until_final(run)
        assert_whole(run, 60)
    assert worker.poll() is None, engine.log()
    assert mock.counts()["requests"] == 3 * 60


def test_it_goes_on_when_the_database_is_restarted(engine: Engine, mock: Remote) -> None:
    mock.control(latency=0.2)
    run = started(version(400), endpoint(mock.url, most=10))
    engine.worker()
    engine.beat()
    until(lambda: run.responses.filter(state="done").count() > 40)
    engine.restart_database()
    until_final(run, 90)
    assert_whole(run, 400)
    assert mock.counts()["requests"] == 400


def test_it_asks_with_one_worker_at_a_time_however_many_there_are(engine: Engine, mock: Remote) -> None:
    run = started(version(200), endpoint(mock.url, most=5))
    for _ in range(3):
        engine.worker()
    engine.beat()
    for _ in range(20):
        tasks.ring_for(run)
    until_final(run)
    assert mock.counts()["most_in_flight"] == 5
    assert mock.counts()["requests"] == 200


def test_it_goes_on_by_itself_when_the_model_server_is_back(engine: Engine) -> None:
    with mock_server.running("--latency", "0.1") as first:
        run = started(version(300), endpoint(first.url, most=10))
        engine.worker()
        engine.beat()
        until(lambda: run.responses.filter(state="done").count() > 30)
        first.process.kill()
        until(lambda: state_of(run) == "paused")
    assert run.paused_by_portal
    assert "does not answer" in run.reason
    with mock_server.running("--port", first.url.rpartition(":")[2]):
        until_final(run, 90)
    assert_whole(run, 300)
    assert not run.responses.filter(state="failed").exists()
