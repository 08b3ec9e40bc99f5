"""A run to how far it is and how fast."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from scoring import progress
from scoring.models import Run
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


def test_it_looks_at_the_last_minute_alone() -> None:
    run = started(version(60), echo())
    _answered(run, 20, seconds_ago=3600)
    assert progress.stages(run)[0].rate == 0
    assert progress.stages(run)[0].seconds_left is None


def test_it_knows_no_rate_before_the_first_answer() -> None:
    assert progress.stages(started(version(3), echo()))[0].rate == 0
