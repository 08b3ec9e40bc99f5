"""Drafts: whatever is typed stays."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from reviews import assignments, drafts, sampling
from reviews.items import GoneError
from reviews.models import Assignment
from scoring.models import Run


@pytest.fixture
def assignment(make_run: Callable[..., Run], bob: Any) -> Assignment:
    """An answer in bob's hands."""
    sampling.draw(make_run())
    found = assignments.next(bob)
    assert found
    return found


def test_it_keeps_whatever_was_typed_and_says_when(assignment: Assignment, bob: Any) -> None:
    saved_at = drafts.save(assignment.pk, bob, {"accuracy": "9", "clarity": None}, "nul \0", seconds=12)
    assignment.refresh_from_db()
    assert assignment.draft["marks"] == {"accuracy": "9", "clarity": None}
    assert "\0" not in assignment.draft["comment"]
    assert (assignment.draft_saved_at, assignment.active_seconds) == (saved_at, 12)


def test_it_holds_the_lease_of_whoever_types(assignment: Assignment, bob: Any) -> None:
    Assignment.objects.update(leased_until=timezone.now() + timedelta(seconds=5))
    drafts.save(assignment.pk, bob, {})
    assignment.refresh_from_db()
    assert assignment.leased_until > timezone.now() + timedelta(minutes=20)


def test_it_cuts_what_nobody_could_have_typed(assignment: Assignment, bob: Any) -> None:
    drafts.save(assignment.pk, bob, {}, "x" * 100_000)
    assignment.refresh_from_db()
    assert len(assignment.draft["comment"]) == 20_000


def test_it_keeps_nothing_in_someone_elses_hands(assignment: Assignment, carol: Any) -> None:
    with pytest.raises(GoneError):
        drafts.save(assignment.pk, carol, {"accuracy": 1})
    assignment.refresh_from_db()
    assert assignment.draft == {}
