"""A run to how far it is and how fast."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from scoring import progress, runs
from scoring.models import Run, Verdict
from tests.engine.making import echo, started, version

pytestmark = pytest.mark.django_db


def _answered(run: Run, count: int, seconds_ago: float) -> None:
    """Let so many of a run's questions have been answered, the first of them some time ago."""
    for index, row in enumerate(run.responses.filter(state="waiting").order_by("position")[:count]):
        ago = timedelta(seconds=seconds_ago * (1 - index / count))
        run.responses.filter(pk=row.pk).update(state="done", answered_at=timezone.now() - ago)


def test_it_tells_how_fast_a_run_is_that_has_just_begun() -> None:
    run = started(version(60), echo())
    _answered(run, 20, seconds_ago=10)
    answers = progress.stages(run)[0]
    assert (answers.done, answers.total) == (20, 60)
    assert answers.rate == pytest.approx(2, rel=0.2)
    assert answers.seconds_left == pytest.approx(20, rel=0.2)


def test_it_knows_no_rate_from_one_answer() -> None:
    run = started(version(60), echo())
    _answered(run, 1, seconds_ago=0.2)
    assert progress.stages(run)[0].seconds_left is None


def test_it_looks_at_the_last_minute_alone() -> None:
    run = started(version(60), echo())
    _answered(run, 20, seconds_ago=3600)
    assert progress.stages(run)[0].rate == 0
    assert progress.stages(run)[0].seconds_left is None


def test_it_knows_no_rate_before_the_first_answer() -> None:
    assert progress.stages(started(version(3), echo()))[0].rate == 0


def test_it_has_news_with_every_quarter_and_no_oftener() -> None:
    run = started(version(8), echo())
    told = []
    for _ in range(7):
        _answered(run, 1, seconds_ago=1)
        told.append(progress.news(run, progress.stages(run), []))
    quarters = [0, 25, 25, 50, 50, 75, 75]
    assert told == [f"The run is queued. Answers: {quarter} % through." for quarter in quarters]


def test_it_says_why_a_run_stands_and_who_is_missing() -> None:
    run = started(version(2), echo())
    runs.pause(run)
    assert progress.news(run, progress.stages(run), ["scoring"]) == (
        "The run is paused. No worker is listening on scoring. Paused by hand."
    )


def test_it_keeps_failures_and_retries_of_answers_and_verdicts_apart() -> None:
    run = started(version(4, benchmark="B12"), echo(), judge=echo())
    rows = run.responses.order_by("position")
    run.responses.filter(pk=rows[0].pk).update(state="failed", error_kind="too_long", error="Too long.")
    run.responses.filter(pk__in=[rows[1].pk, rows[2].pk]).update(error_kind="rate_limited", error="Slower.")
    known = {"run": run, "judge_model": "echo", "prompt_version": 1}
    Verdict.objects.create(response=rows[3], state="failed", error_kind="refused", error="No.", **known)
    found = [(one.what, one.failed, one.kind, one.count) for one in progress.troubles(run)]
    assert found == [
        ("verdict", True, "refused", 1),
        ("answer", True, "too_long", 1),
        ("answer", False, "rate_limited", 2),
    ]


def test_it_promises_no_retry_once_a_run_is_cancelled() -> None:
    run = started(version(2), echo())
    run.responses.update(error_kind="rate_limited")
    runs.cancel(run)
    assert progress.troubles(run) == []
