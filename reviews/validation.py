"""Blind marks on a judged answer go in, then the verdict is shown, then it is confirmed or overridden.

The person's marks replace the judge's in the score, whatever is decided on the verdict; both are kept. What
someone marks after the verdict was shown rules the score too, but is not blind, and is not used to measure
the judge by.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.db import transaction

from reviews import drafts, events, items, submissions
from reviews.events import Verb
from reviews.items import GoneError, Held, NotYoursError, ReviewError
from reviews.models import Assignment, Mark, Review, Rubric
from scoring import verdicts
from scoring.judging import Opinion
from scoring.models import Verdict
from scoring.scores import storable

if TYPE_CHECKING:
    from evalportal.models import Person

Decision = Review.Decision
_VERBS = {Decision.CONFIRM: Verb.CONFIRMED, Decision.OVERRIDE: Verb.OVERRIDDEN}


class NotMarkedError(ReviewError):
    """The verdict is shown only to those who have marked the answer."""

    def __init__(self) -> None:
        super().__init__("Mark the answer first: the verdict is shown afterwards.")


class WrongDecisionError(ReviewError):
    """A decision that is none, or an override without a reason."""


class AlreadyDecidedError(ReviewError):
    """The person has decided on this verdict already."""

    def __init__(self, review: Review) -> None:
        super().__init__("You have decided on this verdict already. Take your marks back to decide again.")
        self.review = review


def verdict(assignment: Assignment) -> Opinion:
    """Show the judge's verdict to someone who has marked the answer."""
    if _current(assignment.item_id, assignment.person_id) is None:
        raise NotMarkedError
    return opinion(assignment.item.response_id)


def opinion(response_id: int) -> Opinion:
    """Bring the judge's votes on an answer together; without marks there is no readable one."""
    return verdicts.opinion(Verdict.objects.filter(response=response_id).order_by("vote"))


def decide(
    assignment_id: int,
    person: Person,
    decision: str,
    reason: str = "",
    marks: Mapping[str, Any] | None = None,
) -> Review:
    """Confirm or override the verdict; `marks` are new ones, given in its light, kept beside the blind ones.

    The same decision again is the same decision; another one is refused.
    """
    try:
        with transaction.atomic():
            return _decide(items.hold(assignment_id, person), decision, str(storable(reason)).strip(), marks)
    except (GoneError, NotYoursError):
        raise
    except ReviewError:
        _keep(assignment_id, person, marks, reason)
        raise


def judge_version(response_id: int) -> str:
    """Name the judge of an answer and the version of its prompt."""
    found = Verdict.objects.filter(response=response_id).values_list("judge_model", "prompt_version").first()
    return f"{found[0]}, prompt {found[1]}" if found else ""


def _decide(held: Held, decision: str, reason: str, marks: Mapping[str, Any] | None) -> Review:
    current = _current(held.item.pk, held.assignment.person_id)
    if current is None or held.item.kind != Rubric.Kind.VALIDATION:
        raise NotMarkedError
    if decision not in Decision.values:
        raise WrongDecisionError("Confirm the verdict or override it.")
    if decision == Decision.OVERRIDE and not reason:
        raise WrongDecisionError("Say why you override the verdict: the reason stands on record.")
    if current.decision:
        if (current.decision, current.reason) == (decision, reason):
            return current
        raise AlreadyDecidedError(current)
    before = submissions.marks_of(current)
    after = before if marks is None else submissions.check(marks, held.criteria)
    if after != before:
        current = _another(current, after)
    Review.objects.filter(pk=current.pk).update(decision=decision, reason=reason)
    Assignment.objects.filter(pk=held.assignment.pk).update(state=Assignment.State.SUBMITTED, draft={})
    items.reckon([held.item.pk])
    current.refresh_from_db()
    _record(held, current, before, after)
    return current


def _another(review: Review, marks: Mapping[str, int]) -> Review:
    """Put a review beside an earlier one, in the light of the verdict."""
    Review.objects.filter(pk=review.pk).update(is_current=False)
    made = Review.objects.create(
        item=review.item,
        person=review.person,
        number=review.number + 1,
        comment=review.comment,
        flagged=review.flagged,
        seconds=review.seconds,
        blind=False,
    )
    Mark.objects.bulk_create(Mark(review=made, criterion=key, value=value) for key, value in marks.items())
    return made


def _record(held: Held, review: Review, before: Mapping[str, int], after: Mapping[str, int]) -> None:
    said = opinion(held.item.response_id)
    judged = {"marks": dict(said.marks), "confidence": said.confidence}
    events.record(
        _VERBS[Decision(review.decision)],
        review.person,
        item=held.item,
        before={"verdict": judged, "marks": dict(before)},
        after={"marks": dict(after)},
        why=review.reason,
        rubric_version=held.rubric_version,
        judge_version=judge_version(held.item.response_id),
    )


def _current(item_id: int, person_id: int) -> Review | None:
    found = Review.objects.filter(item=item_id, person=person_id, is_current=True)
    return found.select_related("item", "person").first()


def _keep(assignment_id: int, person: Person, marks: Mapping[str, Any] | None, reason: str) -> None:
    """Keep what was typed beside the decision that was refused."""
    own = Assignment.objects.filter(pk=assignment_id, person=person).values_list("draft", flat=True).first()
    if own is not None:
        kept = own.get("marks", {}) if marks is None else marks
        drafts.save(assignment_id, person, kept, own.get("comment", ""), reason=reason)
