"""A calibration round: the same answers for everybody, and the outcome as reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reviews import agreement, assignments, calibration, finishing, sampling, submissions
from reviews.items import ReviewError
from reviews.models import CalibrationRound, ReviewItem
from scoring.models import Run

MakeRun = Callable[..., Run]
Marks = dict[str, int]


@pytest.fixture
def begun(make_run: MakeRun, alice: Any, bob: Any, carol: Any, erin: Any) -> CalibrationRound:
    """A round of two answers of a run of four, for three reviewers."""
    run = make_run({"B7": 4})
    sampling.draw(run)
    return calibration.begin(run, alice, size=2)


def _mark(person: Any, marks: Marks) -> ReviewItem:
    found = assignments.next(person)
    assert found
    submissions.submit(found.pk, person, marks)
    return found.item


def test_it_hands_the_same_answers_to_everybody_first(
    begun: CalibrationRound, bob: Any, carol: Any, erin: Any, marks: Marks
) -> None:
    chosen = {item.pk for item in begun.items.all()}
    for person in (bob, carol, erin):
        assert {_mark(person, marks).pk for _ in range(2)} == chosen
    assert _mark(bob, marks).pk not in chosen


def test_it_keeps_the_round_out_of_the_agreement(
    begun: CalibrationRound, bob: Any, carol: Any, marks: Marks
) -> None:
    _mark(bob, marks)
    _mark(carol, dict.fromkeys(marks, 1))
    assert agreement.report(begun.run)["kinds"]["rubric"]["marked"] == 0


def test_it_keeps_the_outcome_as_reference_and_compares_everyone_with_it(
    begun: CalibrationRound, alice: Any, bob: Any, carol: Any, marks: Marks
) -> None:
    for _ in range(2):
        _mark(bob, marks)
        _mark(carol, marks | {"clarity": 3})
    references = {item.pk: marks for item in begun.items.all()}
    calibration.conclude(begun.pk, alice, references, "Clarity is about order, not length.")
    assert set(begun.items.values_list("state", flat=True)) == {"settled"}
    assert calibration.distances(begun) == [(carol.pk, 8, 0.75, -0.5), (bob.pk, 8, 1.0, 0.0)]


def test_it_asks_for_every_reference_and_an_outcome(
    begun: CalibrationRound, alice: Any, marks: Marks
) -> None:
    with pytest.raises(ReviewError, match="2 are missing"):
        calibration.conclude(begun.pk, alice, {}, "Nothing.")
    references = {item.pk: marks for item in begun.items.all()}
    with pytest.raises(ReviewError, match="Write down"):
        calibration.conclude(begun.pk, alice, references, " ")
    calibration.conclude(begun.pk, alice, references, "Done.")
    with pytest.raises(ReviewError, match="already"):
        calibration.conclude(begun.pk, alice, references, "Again.")


def test_it_takes_only_answers_that_nobody_has_seen(
    make_run: MakeRun, alice: Any, bob: Any, carol: Any
) -> None:
    run = make_run({"B7": 3})
    sampling.draw(run)
    assignments.next(bob)
    with pytest.raises(ReviewError, match="2 are left"):
        calibration.begin(run, alice, size=3)


def test_it_needs_two_reviewers(make_run: MakeRun, alice: Any, bob: Any) -> None:
    run = make_run({"B7": 3})
    sampling.draw(run)
    with pytest.raises(ReviewError, match="two reviewers"):
        calibration.begin(run, alice, size=2)


def test_it_keeps_a_run_open_until_the_round_is_concluded(begun: CalibrationRound) -> None:
    assert "A calibration round has not been concluded." in finishing.standing(begun.run).missing
