"""The life of a run: what starts, pauses, resumes, cancels, retries, repeats and advances it."""

from __future__ import annotations

import time
from threading import Thread

import psycopg
import pytest
from django.db import connection

from scoring import questions, runs, scores
from scoring.engine import asking, bells, locks, sweeping, workers
from scoring.engine.bells import Bell
from scoring.engine.locks import Work
from scoring.models import Response, Run, Verdict
from scoring.runs import RunStateError
from tests.engine.making import echo, started, version

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_makes_one_row_per_case_sample_and_noise_level() -> None:
    made = version(3, suite="rgb", benchmark="noise_robustness")
    run = started(made, echo(), samples=2, noise_levels=[40, 0, 100])
    rows = list(run.responses.order_by("position").values_list("case__key", "noise", "sample"))
    assert run.state == Run.State.QUEUED
    assert len(rows) == 18
    assert rows[:4] == [(rows[0][0], 0, 1), (rows[0][0], 0, 2), (rows[0][0], 40, 1), (rows[0][0], 40, 2)]


def test_it_asks_only_the_benchmarks_and_ids_that_were_chosen() -> None:
    made = version(5)
    assert started(made, echo(), test_ids=["B3-000002", "B3-000004"]).responses.count() == 2
    with pytest.raises(RunStateError, match="No case matches"):
        started(made, echo(), benchmarks=["B9"])


@pytest.mark.parametrize(
    ("benchmark", "levels"),
    [
        ("noise_robustness", [0, 60, 100]),
        ("information_integration", [0, 60]),
        ("negative_rejection", [100]),
        ("counterfactual_robustness", [0]),
    ],
)
def test_it_asks_each_ability_at_the_noise_that_makes_sense(benchmark: str, levels: list[int]) -> None:
    assert questions.levels("rgb", benchmark, [100, 0, 60]) == levels


def test_it_knows_no_noise_outside_rgb() -> None:
    assert started(version(2), echo(), noise_levels=[0, 50]).responses.count() == 2


def test_it_starts_a_run_once() -> None:
    run = started(version(2), echo())
    with pytest.raises(RunStateError, match=r"Only a draft can be started\. This one is queued\."):
        runs.start(run)
    assert run.responses.count() == 2


def test_it_pauses_and_resumes_where_it_stood() -> None:
    run = started(version(2), echo())
    runs.pause(run)
    assert (run.state, run.reason) == (Run.State.PAUSED, "Paused by hand.")
    runs.resume(run)
    assert (run.state, run.reason) == (Run.State.QUEUED, "")


def test_it_resumes_at_the_stage_that_its_rows_are_at() -> None:
    run = started(version(2), echo())
    asking.serve(run.endpoint_id, ring=bells.silent)
    runs.pause(run)
    runs.resume(run)
    assert run.state == Run.State.SCORING


def test_it_cancels_for_good() -> None:
    run = started(version(2), echo())
    runs.cancel(run)
    assert run.state == Run.State.CANCELLED
    assert run.finished_at
    for press in (runs.pause, runs.resume, runs.cancel, runs.retry_failed, runs.rescore):
        with pytest.raises(RunStateError):
            press(run)


def test_it_asks_nothing_of_a_paused_or_cancelled_run() -> None:
    asked = echo()
    paused, cancelled = started(version(2), asked), started(version(2), asked)
    runs.pause(paused)
    runs.cancel(cancelled)
    asking.serve(asked.pk, ring=bells.silent)
    assert set(Response.objects.values_list("state", flat=True)) == {"waiting"}


def test_it_has_nothing_to_retry_where_nothing_failed() -> None:
    run = started(version(1), echo())
    with pytest.raises(RunStateError, match="Nothing has failed"):
        runs.retry_failed(run)


def test_it_retries_verdicts_and_scores_their_answers_anew() -> None:
    judge = echo(fail=-1, kind="refused", permanent=True)
    run = started(version(2, benchmark="B12"), echo(reply="Yes."), judge=judge)
    for endpoint_id in (run.endpoint_id, judge.pk):
        asking.serve(endpoint_id, ring=bells.silent)
    scores.score(run.pk, ring=bells.silent)
    run.refresh_from_db()
    assert run.state == Run.State.AWAITING_REVIEW
    assert runs.retry_failed(run) == 2
    assert not run.scorings.get().scores.exists()
    assert set(Verdict.objects.values_list("state", flat=True)) == {"waiting"}


def test_it_repeats_a_configuration_as_a_draft() -> None:
    run = started(version(2), echo(), samples=3, seed=11, parameters={"temperature": 0.5})
    repeated = runs.again(run)
    assert repeated.pk != run.pk
    assert repeated.state == Run.State.DRAFT
    assert (repeated.samples, repeated.seed, repeated.parameters) == (3, 11, {"temperature": 0.5})


def test_it_repeats_a_run_with_or_without_the_answers_of_before() -> None:
    run = started(version(1), echo(), use_cache=True)
    assert (runs.again(run).use_cache, runs.again(run, anew=True).use_cache) == (True, False)


def test_it_advances_once_however_many_press_at_the_same_time() -> None:
    run = started(version(2), echo())
    asking.serve(run.endpoint_id, ring=bells.silent)
    scores.score(run.pk, ring=bells.silent)
    Run.objects.filter(pk=run.pk).update(state=Run.State.RUNNING, finished_at=None)
    threads = [Thread(target=_advance, args=(run.pk,)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run.refresh_from_db()
    assert run.state == Run.State.FINAL
    assert run.scorings.count() == 1


def _advance(run_id: int) -> None:
    runs.advance(run_id)
    connection.close()


def test_it_rings_for_work_that_nobody_does() -> None:
    judge = echo()
    run = started(version(2, benchmark="B12"), echo(), judge=judge)
    rung: list[Bell] = []
    workers.pulse("one@test", ["inference", "judging", "scoring", "default"])
    sweeping.sweep(rung.append)
    assert rung == [Bell("ask", run.endpoint_id)]
    asking.serve(run.endpoint_id, ring=bells.silent)
    rung.clear()
    sweeping.sweep(rung.append)
    assert Bell("judge", judge.pk) in rung


def test_it_breaks_the_lock_of_an_asker_that_says_nothing_for_long() -> None:
    with locks.session("test") as session:
        assert locks.take(session, Work.ASKING, 5)
        assert locks.break_frozen(Work.ASKING, 60) == 0
        time.sleep(0.1)
        assert locks.break_frozen(Work.ASKING, 0.05) == 1
        with pytest.raises(psycopg.OperationalError):
            session.execute("SELECT 1")
    assert locks.holders(Work.ASKING) == set()


def test_it_rings_nobody_where_no_worker_listens() -> None:
    started(version(2), echo())
    rung: list[Bell] = []
    sweeping.sweep(rung.append)
    assert rung == []
    assert workers.silent_queues() == ["inference", "judging", "scoring", "default"]


def test_it_moves_a_run_on_that_was_left_between_two_stages() -> None:
    run = started(version(1), echo())
    run.responses.update(state="done", content="Yes.")
    Run.objects.filter(pk=run.pk).update(state=Run.State.RUNNING)
    sweeping.sweep(bells.silent)
    run.refresh_from_db()
    assert run.state == Run.State.SCORING


def test_it_starts_a_large_run_in_one_statement(django_assert_max_num_queries: object) -> None:
    made = version(2000)
    with django_assert_max_num_queries(12):  # type: ignore[operator]
        run = started(made, echo(), samples=5)
    assert run.responses.count() == 10_000
