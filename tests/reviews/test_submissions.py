"""Marks on an answer: once, whole, and never lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from reviews import assignments, sampling, submissions
from reviews.items import AlreadySettledError, GoneError, NotAReviewerError, NotYoursError, RunClosedError
from reviews.models import Assignment, Mark, Review, ReviewItem
from reviews.submissions import AlreadyMarkedError, LeaseExpiredError, WrongMarksError
from scoring.models import Run
from tests.reviews.making import the_event

MakeRun = Callable[..., Run]
Marks = dict[str, int]


@pytest.fixture
def assignment(make_run: MakeRun, bob: Any) -> Assignment:
    """An answer in bob's hands."""
    sampling.draw(make_run({"B7": 2}))
    found = assignments.next(bob)
    assert found
    return found


def _draft(assignment: Assignment) -> dict[str, Any]:
    return dict(Assignment.objects.get(pk=assignment.pk).draft)


def test_it_keeps_marks_comment_and_time(assignment: Assignment, bob: Any, marks: Marks) -> None:
    review = submissions.submit(assignment.pk, bob, marks, comment="Fine.", flagged=True, seconds=41.5)
    assert submissions.marks_of(review) == marks
    assert (review.comment, review.flagged, review.seconds, review.number) == ("Fine.", True, 41.5, 1)
    assert Assignment.objects.get(pk=assignment.pk).state == "submitted"
    event = the_event("marked")
    assert (event.who, event.after["marks"], event.rubric_version) == (bob, marks, "rubric 1")


def test_it_takes_marks_as_forms_send_them(assignment: Assignment, bob: Any, marks: Marks) -> None:
    review = submissions.submit(assignment.pk, bob, {key: str(value) for key, value in marks.items()})
    assert submissions.marks_of(review) == marks


@pytest.mark.parametrize(
    "wrong", [0, 6, -1, 3.5, "x", "", None, True, float("nan"), float("inf"), [4], "４.5"]
)
def test_it_names_the_mark_that_is_wrong_and_keeps_what_was_typed(
    assignment: Assignment, bob: Any, marks: Marks, wrong: Any
) -> None:
    with pytest.raises(WrongMarksError) as caught:
        submissions.submit(assignment.pk, bob, marks | {"clarity": wrong}, comment="So far.")
    assert [*caught.value.missing, *caught.value.out_of_range] == ["clarity"]
    assert _draft(assignment)["marks"]["accuracy"] == marks["accuracy"]
    assert _draft(assignment)["comment"] == "So far."
    assert not Review.objects.exists()


def test_it_names_missing_and_unknown_criteria(assignment: Assignment, bob: Any) -> None:
    with pytest.raises(WrongMarksError) as caught:
        submissions.submit(assignment.pk, bob, {"accuracy": 4, "beauty": 5})
    assert caught.value.missing == ("completeness", "practicality", "clarity")
    assert caught.value.unknown == ("beauty",)


def test_it_takes_a_double_click_as_one(assignment: Assignment, bob: Any, marks: Marks) -> None:
    first = submissions.submit(assignment.pk, bob, marks, token="t1")
    again = submissions.submit(assignment.pk, bob, marks, token="t1")
    assert first == again
    assert Review.objects.count() == 1


def test_it_refuses_other_marks_from_a_second_tab_and_keeps_them(
    assignment: Assignment, bob: Any, marks: Marks
) -> None:
    review = submissions.submit(assignment.pk, bob, marks, token="t1")
    with pytest.raises(AlreadyMarkedError, match="another tab") as caught:
        submissions.submit(assignment.pk, bob, marks | {"clarity": 1}, token="t2")
    assert caught.value.review == review
    assert _draft(assignment)["marks"]["clarity"] == 1


def test_it_takes_marks_back_and_keeps_both_versions(assignment: Assignment, bob: Any, marks: Marks) -> None:
    submissions.submit(assignment.pk, bob, marks, token="t1")
    undone = submissions.undo(assignment.pk, bob)
    assert (undone.state, undone.draft["marks"]) == ("leased", marks)
    submissions.submit(assignment.pk, bob, marks | {"clarity": 1}, token="t2")
    reviews = Review.objects.order_by("number")
    assert [(one.number, one.is_current) for one in reviews] == [(1, False), (2, True)]
    assert [submissions.marks_of(one)["clarity"] for one in reviews] == [5, 1]


def test_it_counts_nothing_that_was_taken_back(
    assignment: Assignment, bob: Any, carol: Any, marks: Marks
) -> None:
    submissions.submit(assignment.pk, bob, marks)
    theirs = assignments.next(carol)
    assert theirs
    submissions.submit(theirs.pk, carol, marks)
    assert ReviewItem.objects.get(pk=assignment.item_id).state == "complete"
    submissions.undo(assignment.pk, bob)
    assert ReviewItem.objects.get(pk=assignment.item_id).state == "open"


def test_it_lets_marks_in_after_the_lease_while_there_is_room(
    assignment: Assignment, bob: Any, marks: Marks
) -> None:
    Assignment.objects.update(leased_until=timezone.now() - timedelta(hours=1))
    assignments.expire()
    assert submissions.submit(assignment.pk, bob, marks)
    assert ReviewItem.objects.get(pk=assignment.item_id).taken == 1


def test_it_says_when_the_lease_went_to_others_and_keeps_what_was_typed(
    assignment: Assignment, bob: Any, carol: Any, erin: Any, marks: Marks
) -> None:
    Assignment.objects.update(leased_until=timezone.now() - timedelta(hours=1))
    assignments.expire()
    for person in (carol, erin):
        assert assignments.next(person)
    with pytest.raises(LeaseExpiredError, match="went to another reviewer"):
        submissions.submit(assignment.pk, bob, marks)
    assert _draft(assignment)["marks"] == marks


@pytest.mark.parametrize("state", ["settled", "closed"])
def test_it_refuses_marks_on_what_is_settled(
    assignment: Assignment, bob: Any, marks: Marks, state: str
) -> None:
    ReviewItem.objects.update(state=state)
    with pytest.raises(AlreadySettledError):
        submissions.submit(assignment.pk, bob, marks)
    assert _draft(assignment)["marks"] == marks


def test_it_refuses_marks_on_a_closed_run(assignment: Assignment, bob: Any, marks: Marks) -> None:
    Run.objects.update(state=Run.State.FINAL)
    with pytest.raises(RunClosedError, match="it is final"):
        submissions.submit(assignment.pk, bob, marks)
    assert _draft(assignment)["marks"] == marks


def test_it_says_when_the_run_was_deleted(assignment: Assignment, bob: Any, marks: Marks) -> None:
    Run.objects.all().delete()
    with pytest.raises(GoneError, match="deleted"):
        submissions.submit(assignment.pk, bob, marks)


def test_it_refuses_marks_on_someone_elses_item(assignment: Assignment, carol: Any, marks: Marks) -> None:
    with pytest.raises(NotYoursError):
        submissions.submit(assignment.pk, carol, marks)


def test_it_refuses_marks_of_a_removed_reviewer(assignment: Assignment, bob: Any, marks: Marks) -> None:
    bob.is_active = False
    with pytest.raises(NotAReviewerError):
        submissions.submit(assignment.pk, bob, marks)
    assert _draft(assignment)["marks"] == marks


def test_it_finds_an_answer_disputed_from_a_spread_of_two(
    assignment: Assignment, bob: Any, carol: Any, marks: Marks
) -> None:
    submissions.submit(assignment.pk, bob, marks)
    theirs = assignments.next(carol)
    assert theirs
    submissions.submit(theirs.pk, carol, marks | {"clarity": 3})
    item = ReviewItem.objects.get(pk=assignment.item_id)
    assert (item.state, item.spread) == ("disputed", 2)


def test_it_survives_words_that_postgresql_cannot_store(
    assignment: Assignment, bob: Any, marks: Marks
) -> None:
    review = submissions.submit(assignment.pk, bob, marks, comment="nul \0 and \ud800 end")
    assert "\0" not in review.comment


def test_it_has_the_database_refuse_marks_out_of_range(
    assignment: Assignment, bob: Any, marks: Marks
) -> None:
    review = submissions.submit(assignment.pk, bob, marks)
    with pytest.raises(IntegrityError), transaction.atomic():
        Mark.objects.create(review=review, criterion="beauty", value=6)
