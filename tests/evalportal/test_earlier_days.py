"""Earlier days: the record of decisions gives back what the reviews of a run came to at any moment."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.utils import timezone

from evalportal import validations
from reviews import adjudication, assignments, sampling, submissions, validation
from reviews.models import Assignment
from scoring.models import Run
from tests.reviews.making import MARKS, build_run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run() -> Run:
    """A run with two answers for a panel of two, and four verdicts of which one is doubtful."""
    made = build_run({"B7": 2, "B12": 4}, confidences=[0.5, 0.9, 0.9, 0.9], seed=3)
    sampling.draw(made)
    return made


def _mark(person: Any, **marks: int) -> None:
    """Mark all that someone is handed, and confirm every verdict."""
    while found := assignments.next(person):
        submissions.submit(found.pk, person, MARKS | marks)
        if found.item.kind == "validation":
            validation.decide(found.pk, person, "confirm")


def _then(run: Run, moment: datetime) -> dict[str, Any]:
    return validations.figures(run, moment)


def test_it_gives_what_the_reviews_come_to_now(run: Run, alice: Any, bob: Any, carol: Any) -> None:
    _mark(bob)
    _mark(carol, clarity=1, accuracy=5)
    disputed = run.review_items.filter(kind="rubric").earliest("turn")
    adjudication.settle(disputed.pk, alice, MARKS, "Clear enough.")
    now = validations.figures(run)
    assert _then(run, timezone.now()) == now
    assert now["gate"]["agreement"]["value"] == pytest.approx(0.75)
    assert (now["items"], now["done"]) == (4, 3)


def test_it_goes_back_to_any_moment(run: Run, bob: Any, carol: Any) -> None:
    before = timezone.now()
    _mark(bob)
    between = timezone.now()
    _mark(carol, completeness=4)
    stood = [_then(run, moment) for moment in (before, between, timezone.now())]
    assert [one["done"] for one in stood] == [0, 2, 4]
    assert [one["tier3"]["validated"] for one in stood] == [0, 2, 2]
    assert [one["gate"]["met"] for one in stood] == [None, None, False]
    assert stood[2]["gate"]["agreement"]["value"] == 0.75


def test_it_takes_back_what_was_taken_back_by_then(run: Run, bob: Any, carol: Any) -> None:
    _mark(bob)
    _mark(carol)
    marked = timezone.now()
    own = Assignment.objects.filter(person=carol, item__kind="rubric").earliest("pk")
    submissions.undo(own.pk, carol)
    taken_back = timezone.now()
    submissions.submit(own.pk, carol, MARKS | {"clarity": 4})
    stood = [_then(run, moment) for moment in (marked, taken_back, timezone.now())]
    assert [one["done"] for one in stood] == [4, 3, 4]
    assert [one["gate"]["agreement"]["value"] for one in stood] == [1.0, 1.0, 0.875]


def test_it_counts_a_disputed_answer_only_once_it_is_settled(
    run: Run, alice: Any, bob: Any, carol: Any
) -> None:
    _mark(bob)
    _mark(carol, clarity=1)
    disputed = timezone.now()
    for item in run.review_items.filter(kind="rubric"):
        adjudication.settle(item.pk, alice, MARKS, "Both make a point.")
    assert (_then(run, disputed)["done"], _then(run, timezone.now())["done"]) == (2, 4)
    assert _then(run, disputed)["gate"]["met"] is False
    assert _then(run, timezone.now())["gate"]["met"] is True


def test_it_asks_for_as_many_people_as_were_wanted_then(run: Run, alice: Any, bob: Any, carol: Any) -> None:
    _mark(bob)
    _mark(carol)
    enough = timezone.now()
    adjudication.add_reviewer(run.review_items.filter(kind="rubric").earliest("turn").pk, alice)
    assert (_then(run, enough)["done"], _then(run, timezone.now())["done"]) == (4, 3)


def test_it_knows_of_no_verdict_that_was_drawn_later(bob: Any) -> None:
    run = build_run({"B12": 4}, confidences=[0.5, 0.9, 0.9, 0.9])
    before = timezone.now()
    sampling.draw(run)
    _mark(bob)
    then = _then(run, before)
    assert (then["items"], then["gate"], then["tier3"]["drawn"]) == (0, None, 0)
    assert then["tier3"]["corrected"]["reason"] == "No verdict has been drawn for people yet."
