"""Tier 3: marks first, then the verdict, then the decision."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from reviews import assignments, sampling, submissions, validation
from reviews.models import Assignment, Event, Review, ReviewItem
from reviews.submissions import WrongMarksError
from reviews.validation import AlreadyDecidedError, NotMarkedError, WrongDecisionError
from scoring.models import Run
from tests.reviews.making import the_event

Marks = dict[str, int]


@pytest.fixture
def assignment(make_run: Callable[..., Run], bob: Any) -> Assignment:
    """A judged answer in bob's hands."""
    sampling.draw(make_run({"B12": 1}, confidences=[0.5]))
    found = assignments.next(bob)
    assert found
    return found


def test_it_shows_the_verdict_only_after_marking(assignment: Assignment, bob: Any, marks: Marks) -> None:
    with pytest.raises(NotMarkedError):
        validation.verdict(assignment)
    submissions.submit(assignment.pk, bob, marks)
    verdict = validation.verdict(assignment)
    assert (verdict.rationale, verdict.confidence) == ("Sound, but incomplete.", 0.5)


def test_it_keeps_the_answer_in_hand_until_it_is_decided(
    assignment: Assignment, bob: Any, marks: Marks
) -> None:
    submissions.submit(assignment.pk, bob, marks)
    assert assignments.next(bob) == assignment
    validation.decide(assignment.pk, bob, "confirm")
    assert ReviewItem.objects.get().state == "complete"
    assert assignments.next(bob) is None


def test_it_records_verdict_marks_and_reason_of_an_override(
    assignment: Assignment, bob: Any, marks: Marks
) -> None:
    submissions.submit(assignment.pk, bob, marks | {"accuracy": 1})
    review = validation.decide(assignment.pk, bob, "override", "Clause 5.1.3 says otherwise.")
    event = the_event("overridden")
    assert (review.decision, review.blind) == ("override", True)
    assert event.before["verdict"]["marks"]["accuracy"] == 4.0
    assert event.after["marks"]["accuracy"] == 1
    assert (event.why, event.judge_version) == ("Clause 5.1.3 says otherwise.", "judge-model, prompt 1")


@pytest.mark.parametrize(("decision", "reason"), [("override", " "), ("perhaps", "why"), ("", "")])
def test_it_refuses_a_decision_that_is_none_and_keeps_what_was_typed(
    assignment: Assignment, bob: Any, marks: Marks, decision: str, reason: str
) -> None:
    submissions.submit(assignment.pk, bob, marks)
    with pytest.raises(WrongDecisionError):
        validation.decide(assignment.pk, bob, decision, reason)
    assert Assignment.objects.get().state == "leased"
    assert Assignment.objects.get().draft.get("reason", "") == reason


def test_it_refuses_to_decide_before_marking(assignment: Assignment, bob: Any) -> None:
    with pytest.raises(NotMarkedError):
        validation.decide(assignment.pk, bob, "confirm")


def test_it_keeps_marks_given_in_the_light_of_the_verdict_beside_the_blind_ones(
    assignment: Assignment, bob: Any, marks: Marks
) -> None:
    submissions.submit(assignment.pk, bob, marks | {"accuracy": 1})
    validation.decide(assignment.pk, bob, "override", "I had missed a clause.", marks | {"accuracy": 3})
    reviews = Review.objects.order_by("number")
    assert [(one.blind, one.is_current) for one in reviews] == [(True, False), (False, True)]
    assert [submissions.marks_of(one)["accuracy"] for one in reviews] == [1, 3]


def test_it_refuses_wrong_marks_with_a_decision(assignment: Assignment, bob: Any, marks: Marks) -> None:
    submissions.submit(assignment.pk, bob, marks)
    with pytest.raises(WrongMarksError):
        validation.decide(assignment.pk, bob, "override", "Because.", marks | {"accuracy": 9})
    assert Assignment.objects.get().draft["marks"]["accuracy"] == 9


def test_it_takes_the_same_decision_twice_as_one(assignment: Assignment, bob: Any, marks: Marks) -> None:
    submissions.submit(assignment.pk, bob, marks)
    first = validation.decide(assignment.pk, bob, "confirm")
    assert validation.decide(assignment.pk, bob, "confirm") == first
    assert Event.objects.filter(verb="confirmed").count() == 1
    with pytest.raises(AlreadyDecidedError):
        validation.decide(assignment.pk, bob, "override", "On second thoughts.")


def test_it_lets_blind_marks_stand_when_nobody_decides(
    assignment: Assignment, bob: Any, marks: Marks
) -> None:
    submissions.submit(assignment.pk, bob, marks)
    Assignment.objects.update(leased_until=timezone.now() - timedelta(hours=1))
    assignments.expire()
    assert Assignment.objects.get().state == "submitted"
    assert ReviewItem.objects.get().state == "complete"


def test_it_does_not_take_marks_after_the_verdict_for_blind(
    assignment: Assignment, bob: Any, marks: Marks
) -> None:
    submissions.submit(assignment.pk, bob, marks, token="t1")
    submissions.undo(assignment.pk, bob)
    again = submissions.submit(assignment.pk, bob, marks, token="t2")
    assert not again.blind
