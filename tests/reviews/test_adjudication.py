"""Disputed answers: worst first, without names, settled by someone else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from reviews import adjudication, assignments, sampling, submissions
from reviews.adjudication import NotAnAdjudicatorError, NothingToSettleError, NotImpartialError
from reviews.items import AlreadySettledError, GoneError, ReviewError
from reviews.models import Adjudication, Review, ReviewItem
from reviews.submissions import WrongMarksError
from scoring.models import Run
from tests.reviews.making import the_event

Marks = dict[str, int]


@pytest.fixture
def run(make_run: Callable[..., Run], bob: Any, carol: Any, marks: Marks) -> Run:
    """A run of three answers: bob and carol agree on the first, are 2 apart on the second, 4 on the third."""
    made = make_run({"B7": 3})
    sampling.draw(made)
    theirs = {1: {}, 2: {"clarity": 3}, 3: {"clarity": 1}}
    for person in (bob, carol):
        while found := assignments.next(person):
            change = theirs[found.item.turn] if person == carol else {}
            submissions.submit(found.pk, person, marks | change, comment=f"by {person.name}")
    return made


def test_it_lists_what_is_disputed_worst_first(run: Run) -> None:
    assert [(item.turn, item.spread) for item in adjudication.queue(run)] == [(3, 4), (2, 2)]


def test_it_lists_what_is_so_far_apart_where_asked(run: Run) -> None:
    assert [item.turn for item in adjudication.queue(run, at_least=3)] == [3]
    assert adjudication.queue(run, at_least=0).count() == 3


def test_it_shows_both_sides_without_names(run: Run, bob: Any, carol: Any) -> None:
    item = adjudication.queue(run)[0]
    sides = adjudication.sides(item)
    assert [side.letter for side in sides] == ["A", "B"]
    assert {side.marks["clarity"] for side in sides} == {5, 1}
    assert not {"person", "who", "name"} & set(sides[0]._fields)


def test_it_settles_an_answer_and_records_what_was_before(run: Run, alice: Any, marks: Marks) -> None:
    item = adjudication.queue(run)[0]
    adjudication.settle(item.pk, alice, marks, "Carol overlooked the last paragraph.")
    item.refresh_from_db()
    event = the_event("settled")
    assert item.state == "settled"
    assert {one["clarity"] for one in event.before["reviews"]} == {5, 1}
    assert (event.after["marks"], event.why) == (marks, "Carol overlooked the last paragraph.")


def test_it_appends_a_second_settlement_to_the_first(run: Run, alice: Any, marks: Marks) -> None:
    item = adjudication.queue(run)[0]
    adjudication.settle(item.pk, alice, marks, "First.")
    adjudication.settle(item.pk, alice, marks | {"clarity": 3}, "On second thoughts.")
    assert [one.marks["clarity"] for one in item.adjudications.all()] == [5, 3]
    with pytest.raises(IntegrityError, match="what was decided stays"), transaction.atomic():
        Adjudication.objects.update(why="changed")


def test_it_refuses_whoever_marked_the_answer(run: Run, alice: Any, marks: Marks) -> None:
    item = adjudication.queue(run)[0]
    Review.objects.create(item=item, person=alice)
    with pytest.raises(NotImpartialError):
        adjudication.settle(item.pk, alice, marks, "I am right.")


@pytest.mark.parametrize("who", ["bob", "dan"])
def test_it_refuses_those_who_do_not_settle(
    run: Run, marks: Marks, who: str, request: pytest.FixtureRequest
) -> None:
    with pytest.raises(NotAnAdjudicatorError):
        adjudication.settle(adjudication.queue(run)[0].pk, request.getfixturevalue(who), marks, "Because.")


def test_it_asks_for_all_marks_and_a_reason(run: Run, alice: Any, marks: Marks) -> None:
    item = adjudication.queue(run)[0]
    with pytest.raises(WrongMarksError):
        adjudication.settle(item.pk, alice, {"clarity": 7}, "Because.")
    with pytest.raises(ReviewError, match="Say why"):
        adjudication.settle(item.pk, alice, marks, " ")


def test_it_waits_until_all_marks_are_there(run: Run, alice: Any, marks: Marks) -> None:
    item = ReviewItem.objects.get(turn=3)
    adjudication.add_reviewer(item.pk, alice)
    with pytest.raises(NothingToSettleError):
        adjudication.settle(item.pk, alice, marks, "Because.")


def test_it_adds_a_reviewer_to_a_disputed_answer(run: Run, alice: Any, erin: Any) -> None:
    item = ReviewItem.objects.get(turn=3)
    adjudication.add_reviewer(item.pk, alice, "A third opinion.")
    found = assignments.next(erin)
    assert found
    assert found.item == item
    assert the_event("reviewer added").after == {"slots": 3}


def test_it_adds_no_reviewer_beyond_five_nor_to_what_is_settled(run: Run, alice: Any, marks: Marks) -> None:
    ReviewItem.objects.filter(turn=3).update(slots=5)
    with pytest.raises(ReviewError, match="At most 5"):
        adjudication.add_reviewer(ReviewItem.objects.get(turn=3).pk, alice)
    item = ReviewItem.objects.get(turn=2)
    adjudication.settle(item.pk, alice, marks, "Because.")
    with pytest.raises(AlreadySettledError):
        adjudication.add_reviewer(item.pk, alice)


def test_it_says_when_the_answer_is_gone(run: Run, alice: Any, marks: Marks) -> None:
    item = adjudication.queue(run)[0]
    run.delete()
    with pytest.raises(GoneError):
        adjudication.settle(item.pk, alice, marks, "Because.")
