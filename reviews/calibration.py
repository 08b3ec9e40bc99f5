"""Ten answers of a run go to every reviewer; what the talk about them came to comes out as their reference.

Marks of a calibration round are given to learn: they enter neither the gate nor the statistics, and the
score of these answers is that of the reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models.functions import Now

from evalportal.roles import Role
from reviews import adjudication, events, submissions
from reviews.events import Verb
from reviews.items import ReviewError
from reviews.models import CalibrationRound, Mark, ReviewItem, Rubric
from scoring import runs
from scoring.models import Run

if TYPE_CHECKING:
    from evalportal.models import Person

SIZE = 10


class Distance(NamedTuple):
    """How a reviewer's marks stand to the reference: the share that is equal, and the mean difference."""

    person: int
    marks: int
    exact: float
    bias: float


@transaction.atomic
def begin(run: Run, by: Person, *, kind: str = Rubric.Kind.RUBRIC, size: int = SIZE) -> CalibrationRound:
    """Take answers that nobody has seen yet, and hand them to every reviewer, before anything else."""
    held = runs.hold(run.pk)
    reviewers = get_user_model().objects.filter(role=Role.REVIEWER, is_active=True).count()
    untouched = ReviewItem.objects.select_for_update(skip_locked=True).filter(
        run=held, kind=kind, state=ReviewItem.State.OPEN, taken=0, calibration=None, assigned_to=None
    )
    chosen = [item for item in untouched.order_by("turn")[:size] if not item.assignments.exists()]
    if len(chosen) < size:
        raise ReviewError(f"A round takes {size} answers that nobody has seen yet; {len(chosen)} are left.")
    if reviewers < 2:
        raise ReviewError("A round needs at least two reviewers.")
    made = CalibrationRound.objects.create(
        run=held, rubric=chosen[0].rubric, number=held.calibrations.count() + 1, created_by=by
    )
    ids = [item.pk for item in chosen]
    ReviewItem.objects.filter(pk__in=ids).update(calibration=made, slots=reviewers, returned=True)
    events.record(Verb.CALIBRATION_BEGUN, by, run=held, after={"round": made.number, "items": ids})
    return made


@transaction.atomic
def conclude(
    round_id: int, by: Person, references: Mapping[int, Mapping[str, Any]], outcome: str
) -> CalibrationRound:
    """Keep the marks that the discussion came to, by item, as reference and as the answers' marks."""
    made = CalibrationRound.objects.select_for_update().get(pk=round_id)
    if made.concluded_at is not None:
        raise ReviewError("This round has been concluded already.")
    held = list(made.items.select_for_update(of=("self",)).select_related("rubric").order_by("pk"))
    if missing := [item.pk for item in held if item.pk not in references]:
        raise ReviewError(f"Give the reference of every answer: {len(missing)} are missing.")
    if not outcome.strip():
        raise ReviewError("Write down what the discussion came to: reviewers go by it afterwards.")
    keys = list(made.rubric.criteria.order_by("position").values_list("key", flat=True))
    for item in held:
        adjudication.append(item, by, submissions.check(references[item.pk], keys), outcome.strip())
    CalibrationRound.objects.filter(pk=made.pk).update(
        outcome=outcome.strip(), concluded_by=by, concluded_at=Now()
    )
    events.record(
        Verb.CALIBRATION_CONCLUDED, by, run=made.run_id, after={"round": made.number}, why=outcome.strip()
    )
    made.refresh_from_db()
    return made


def distances(made: CalibrationRound) -> list[Distance]:
    """Compare each reviewer's marks with the reference, those who are furthest off first."""
    reference = {
        item.pk: settled.marks for item in made.items.all() if (settled := item.adjudications.last())
    }
    apart: dict[int, list[int]] = {}
    marks = Mark.objects.filter(review__item__in=reference, review__is_current=True)
    for person, item, key, value in marks.values_list(
        "review__person_id", "review__item_id", "criterion", "value"
    ):
        apart.setdefault(person, []).append(value - reference[item][key])
    found = [
        Distance(person, len(steps), steps.count(0) / len(steps), sum(steps) / len(steps))
        for person, steps in apart.items()
    ]
    return sorted(found, key=lambda one: (one.exact, one.person))
