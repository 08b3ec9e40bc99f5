"""Asking: retries, faults of the endpoint, the cache, fairness; with a real database and a mock server."""

from __future__ import annotations

import socket
import time
from itertools import count
from threading import Event, Thread

import pytest
from django.utils import timezone

from benchmarks import mock_server
from benchmarks.mock_server import Remote
from scoring import endpoints, runs
from scoring.engine import asking, bells, blockades, locks, sweeping, workers
from scoring.engine.locks import Work
from scoring.models import Endpoint, Response, Run
from tests.engine.making import echo, endpoint, started, version
from tests.scoring.asked import kinds, serve_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def away() -> Endpoint:
    """An endpoint where nobody is at home."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    return endpoint(f"http://127.0.0.1:{port}")


def serve(run: Run) -> Run:
    assert asking.serve(run.endpoint_id, ring=bells.silent)
    run.refresh_from_db()
    return run


def test_it_asks_every_case_once_and_stores_what_came_back(mock: Remote) -> None:
    run = serve(started(version(30), endpoint(mock.url), samples=2))
    answer = run.responses.first()
    assert kinds(run) == {"done": 60}
    assert mock.counts()["requests"] == 60
    assert answer
    assert answer.content
    assert (answer.finish_reason, answer.attempts, answer.from_cache) == ("stop", 1, False)
    assert answer.prompt_tokens
    assert answer.latency_seconds is not None


def test_it_moves_the_run_on_when_all_is_answered(mock: Remote) -> None:
    run = serve(started(version(3), endpoint(mock.url)))
    assert run.state == Run.State.SCORING
    assert run.started_at
    assert run.answered_at


def test_it_puts_the_endpoints_system_prompt_first(mock: Remote) -> None:
    serve(started(version(1), endpoint(mock.url, system_prompt="Answer in Latin.")))
    (prompt,) = mock.counts(prompts=True)["per_prompt"]
    assert prompt.startswith("Answer in Latin.\n\nYou are an expert")


def test_it_leaves_when_somebody_else_is_asking(mock: Remote) -> None:
    run = started(version(1), endpoint(mock.url))
    with locks.session("test") as session:
        assert locks.take(session, Work.ASKING, run.endpoint_id)
        assert locks.holders(Work.ASKING) == {run.endpoint_id}
        assert not asking.serve(run.endpoint_id, ring=bells.silent)
    assert kinds(run) == {"waiting": 1}


def test_it_takes_up_what_a_dead_asker_left_behind(mock: Remote) -> None:
    run = started(version(4), endpoint(mock.url))
    run.responses.filter(position__lte=2).update(state="asking", asker="00000000-0000-0000-0000-000000000001")
    assert kinds(serve(run)) == {"done": 4}


@pytest.mark.parametrize("fault", ["status=503", "status=429", "reset", "malformed", "html", "cut"])
def test_it_asks_again_after_a_passing_fault(mock: Remote, fault: str) -> None:
    mock.control(faults=[{"fault": fault, "match": "Question 2:", "times": 2}])
    run = serve(started(version(3), endpoint(mock.url)))
    assert kinds(run) == {"done": 3}
    assert run.responses.get(position=2).attempts == 3


def test_it_waits_as_long_as_the_server_asks(mock: Remote) -> None:
    fault = "status=429 retry_after=1"
    mock.control(faults=[{"fault": fault, "match": "Question 2:", "times": 1}])
    run = serve(started(version(2), endpoint(mock.url)))
    first, second = run.responses.values_list("answered_at", flat=True).order_by("position")
    assert first
    assert second
    assert (second - first).total_seconds() >= 0.95


def test_it_fails_a_case_after_the_last_try_and_goes_on(mock: Remote) -> None:
    mock.control(faults=[{"fault": "status=500", "match": "Question 2:"}])
    run = serve(started(version(3), endpoint(mock.url)))
    failed = run.responses.get(state="failed")
    assert kinds(run) == {"done": 2, "failed": 1}
    assert (failed.position, failed.attempts, failed.error_kind) == (2, 5, "server_error")
    assert failed.error
    assert run.state == Run.State.SCORING


def test_it_fails_the_run_when_every_answer_failed(mock: Remote) -> None:
    run = serve(started(version(2, words="[[status=400 message=no_such_thing]]"), endpoint(mock.url)))
    assert run.state == Run.State.FAILED
    assert "Not one question was answered" in run.reason


def test_it_asks_only_what_failed_when_told_to_retry(mock: Remote) -> None:
    mock.control(faults=[{"fault": "status=400", "match": "Question 2:"}])
    run = serve(started(version(3), endpoint(mock.url)))
    mock.reset()
    assert runs.retry_failed(run) == 1
    assert kinds(serve(run)) == {"done": 3}
    assert mock.counts()["requests"] == 1


def test_it_weathers_a_storm_of_refusals(mock: Remote) -> None:
    mock.control(faults=[{"fault": "status=429 retry_after=0", "times": 50}])
    run = serve(started(version(40), endpoint(mock.url, most=20)))
    assert kinds(run) == {"done": 40}
    assert mock.counts()["requests"] == 90


def test_it_does_not_mind_a_clock_that_jumps(mock: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    mock.control(latency=0.02, faults=[{"fault": "status=503", "match": "Question 2:", "times": 2}])
    run = started(version(12), endpoint(mock.url, most=4))
    now, calls = time.time, count()
    monkeypatch.setattr(time, "time", lambda: now() + (86_400 if next(calls) % 2 else -86_400))
    serve(run)
    monkeypatch.undo()
    assert kinds(run) == {"done": 12}
    assert sum(run.responses.values_list("attempts", flat=True)) == 14
    assert run.responses.filter(latency_seconds__gt=0, latency_seconds__lt=60).count() == 12


def test_it_pauses_the_run_when_the_endpoint_is_down_and_blames_no_case(away: Endpoint) -> None:
    run = serve(started(version(20), away))
    assert (run.state, run.paused_by_portal, run.blocked_by) == (Run.State.PAUSED, True, away)
    assert "does not answer" in run.reason
    assert kinds(run) == {"waiting": 20}
    assert not run.responses.filter(attempts__gt=0).exists()


def test_it_goes_on_by_itself_when_the_endpoint_is_back(away: Endpoint) -> None:
    run = serve(started(version(20), away))
    assert blockades.probe(away) == []
    with mock_server.running("--port", away.base_url.rpartition(":")[2].removesuffix("/v1")):
        assert blockades.probe(away) == [run.pk]
        run.refresh_from_db()
        assert (run.state, run.reason) == (Run.State.RUNNING, "")
        assert kinds(serve(run)) == {"done": 20}


def test_it_tries_an_endpoint_that_stays_down_less_and_less_often(away: Endpoint) -> None:
    run = serve(started(version(1), away))
    waits = []
    for _ in range(4):
        blockades.probe(away)
        run.refresh_from_db()
        assert run.probe_at
        waits.append((run.probe_at - timezone.now()).total_seconds())
    assert waits[3] > 2 * waits[0]
    assert blockades.take_due() == []


def test_it_calls_for_one_test_of_an_endpoint_at_a_time(away: Endpoint) -> None:
    run = serve(started(version(1), away))
    Run.objects.filter(pk=run.pk).update(probe_at=timezone.now())
    assert blockades.take_due() == [away.pk]
    assert blockades.take_due() == []


def test_it_sweeps_the_other_runs_when_one_cannot_be_moved_on(
    mock: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, whole = started(version(1), endpoint(mock.url)), started(version(1), endpoint(mock.url))
    advance, rung = runs.advance, list[bells.Bell]()
    monkeypatch.setattr(runs, "advance", lambda pk: 1 / 0 if pk == broken.pk else advance(pk))
    monkeypatch.setattr(workers, "silent_queues", list)
    sweeping.sweep(rung.append)
    assert bells.Bell("ask", whole.endpoint_id) in rung


def test_it_does_not_resume_what_a_person_has_paused(away: Endpoint) -> None:
    run = serve(started(version(2), away))
    runs.pause(run)
    with mock_server.running("--port", away.base_url.rpartition(":")[2].removesuffix("/v1")):
        assert blockades.probe(away) == []
    run.refresh_from_db()
    assert run.state == Run.State.PAUSED


def test_it_says_that_the_model_is_unknown_instead_of_failing_every_case(mock: Remote) -> None:
    run = serve(started(version(20), endpoint(mock.url, model="mock-huge")))
    assert run.state == Run.State.PAUSED
    assert "mock-huge" in run.reason
    assert kinds(run) == {"waiting": 20}


def test_it_says_which_variable_holds_no_key(mock: Remote) -> None:
    run = serve(started(version(2), endpoint(mock.url, key_variable="NO_SUCH_API_KEY")))
    assert run.state == Run.State.PAUSED
    assert "NO_SUCH_API_KEY" in run.reason


def test_it_takes_the_key_from_the_environment_and_keeps_it_there(
    mock: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOCK_API_KEY", "sesame-open-7")
    mock.control(key="sesame-open-7")
    run = serve(started(version(2), endpoint(mock.url, key_variable="MOCK_API_KEY")))
    mock.control(key="")
    assert kinds(run) == {"done": 2}
    assert "sesame" not in str(list(Response.objects.filter(run=run).values()))
    assert "sesame" not in repr(endpoints.target(run.endpoint))


def test_it_waits_for_a_person_when_the_parameters_make_no_sense(mock: Remote) -> None:
    run = serve(started(version(5), endpoint(mock.url), parameters={"temperature": "warm"}))
    assert (run.state, run.paused_by_portal) == (Run.State.PAUSED, False)
    assert "temperature" in run.reason


def test_it_answers_from_the_cache_what_was_asked_before(mock: Remote) -> None:
    asked = endpoint(mock.url)
    made = version(5)
    serve(started(made, asked))
    run = serve(started(made, asked, use_cache=True))
    assert run.responses.filter(from_cache=True).count() == 5
    assert mock.counts()["requests"] == 5


def test_it_keeps_samples_parameters_and_models_apart_in_the_cache(mock: Remote) -> None:
    asked = endpoint(mock.url)
    made = version(3)
    serve(started(made, asked))
    more = serve(started(made, asked, use_cache=True, samples=2))
    warm = serve(started(made, asked, use_cache=True, parameters={"temperature": 0.7}))
    large = serve(started(made, endpoint(mock.url, model="mock-large"), use_cache=True))
    counts = [one.responses.filter(from_cache=True).count() for one in (more, warm, large)]
    assert counts == [3, 0, 0]


@pytest.mark.parametrize("fault", ["nul", "surrogate", "bad_utf8", "empty", "null", "big=10"])
def test_it_stores_whatever_a_server_may_send(mock: Remote, fault: str) -> None:
    run = serve(started(version(2, words=f"[[{fault}]]"), endpoint(mock.url)))
    assert kinds(run) in ({"done": 2}, {"failed": 2})
    assert run.state in {Run.State.SCORING, Run.State.FAILED}


def test_it_says_that_a_long_answer_was_cut(mock: Remote) -> None:
    run = serve(started(version(1, words="[[big=10]]"), endpoint(mock.url)))
    answer = run.responses.get()
    assert answer.truncated
    assert len(answer.content) < 10_000_000


def test_it_lets_runs_share_an_endpoint_fairly(mock: Remote) -> None:
    mock.control(latency=0.02)
    asked = endpoint(mock.url, most=4)
    long, short = started(version(200), asked), started(version(20), asked)
    serve(long)
    last = short.responses.order_by("-answered_at").values_list("answered_at", flat=True)[0]
    assert long.responses.filter(answered_at__gt=last).count() > 100


def test_it_fails_a_case_that_no_prompt_can_be_made_of(mock: Remote) -> None:
    run = serve(started(version(3, broken=2), endpoint(mock.url)))
    assert kinds(run) == {"done": 2, "failed": 1}
    assert run.responses.get(state="failed").error_kind == "bad_case"


def test_it_gives_everything_back_when_told_to_stop(mock: Remote) -> None:
    mock.control(latency=0.3)
    run = started(version(200), endpoint(mock.url, most=5))
    stopping = Event()
    thread = Thread(target=serve_until, args=(run.endpoint_id, stopping))
    thread.start()
    while not mock.counts()["requests"]:
        pass
    stopping.set()
    thread.join(20)
    found = kinds(run)
    assert found["done"] == mock.counts()["requests"]
    assert found["waiting"] == 200 - found["done"]


def test_it_blames_no_case_when_the_key_stops_working_under_way(mock: Remote) -> None:
    mock.control(latency=0.05)
    run = started(version(300), endpoint(mock.url, most=10))
    thread = Thread(target=serve_until, args=(run.endpoint_id, Event()))
    thread.start()
    while mock.counts()["answers"] < 30:
        time.sleep(0.01)
    mock.control(key="another")
    thread.join(30)
    mock.control(key="")
    run.refresh_from_db()
    assert (run.state, run.paused_by_portal) == (Run.State.PAUSED, True)
    assert set(kinds(run)) == {"done", "waiting"}


def test_it_needs_no_server_for_an_echo() -> None:
    run = serve(started(version(3), echo(reply="All logs are reviewed.")))
    assert set(run.responses.values_list("content", flat=True)) == {"All logs are reviewed."}
