"""Answers on which reviewers are far apart go in; marks that someone else settled on, and why, come out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import transaction
from django.db.models import F, QuerySet

from evalportal.roles import Role
from reviews import events, items, submissions
from reviews.events import Verb
from reviews.items import ReviewError
from reviews.models import Adjudication, Review, ReviewItem
from scoring.models import Run

if TYPE_CHECKING:
    from evalportal.models import Person

State = ReviewItem.State
_MOST_SLOTS = 5


class NotImpartialError(ReviewError):
    """Whoever marked an answer does not settle it."""

    def __init__(self) -> None:
        super().__init__("You marked this answer yourself: someone else has to settle it.")


class NotAnAdjudicatorError(ReviewError):
    """Only admins settle answers."""

    def __init__(self) -> None:
        super().__init__("Only admins settle answers.")


class NothingToSettleError(ReviewError):
    """Not all marks are there yet."""

    def __init__(self) -> None:
        super().__init__("This answer is still being marked. It can be settled once all marks are there.")


class Side(NamedTuple):
    """One review as an adjudicator sees it: without a name."""

    letter: str
    marks: dict[str, int]
    comment: str
    flagged: bool
    decision: str
    reason: str


def queue(run: Run | None = None, *, at_least: int | None = None) -> QuerySet[ReviewItem]:
    """List the disputed answers, those that are furthest apart first.

    With `at_least`, list all that are complete and so far apart, disputed by their rubric or not.
    """
    waiting = ReviewItem.objects.filter(run__state=Run.State.AWAITING_REVIEW, calibration=None)
    if run is not None:
        waiting = waiting.filter(run=run)
    if at_least is None:
        waiting = waiting.filter(state=State.DISPUTED)
    else:
        waiting = waiting.filter(state__in=(State.DISPUTED, State.COMPLETE), spread__gte=at_least)
    return waiting.select_related("response__case", "rubric").order_by(F("spread").desc(), "run", "turn")


def flagged(run: Run | None = None) -> QuerySet[Review]:
    """List the marks with which a reviewer flagged an answer for an admin, the newest first."""
    found = Review.objects.filter(
        flagged=True, is_current=True, item__run__state=Run.State.AWAITING_REVIEW
    ).exclude(item__state__in=(State.SETTLED, State.CLOSED))
    if run is not None:
        found = found.filter(item__run=run)
    return found.select_related("item__response__case").order_by("-pk")


def sides(item: ReviewItem) -> list[Side]:
    """Give the reviews of an answer side by side, in an order that says nothing of who made them."""
    reviews = item.reviews.filter(is_current=True).prefetch_related("marks")
    mixed = sorted(reviews, key=lambda review: hash((item.pk, review.pk * 7919)))
    return [_side("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[at % 26], review) for at, review in enumerate(mixed)]


@transaction.atomic
def settle(item_id: int, by: Person, marks: Mapping[str, Any], why: str) -> Adjudication:
    """Settle an answer; settled again, the newest counts and the earlier ones stay."""
    if by.role != Role.ADMIN or not by.is_active:
        raise NotAnAdjudicatorError
    held = items.hold_item(item_id)
    if held.state not in {State.COMPLETE, State.DISPUTED, State.SETTLED}:
        raise NothingToSettleError
    if held.reviews.filter(person=by).exists():
        raise NotImpartialError
    if not why.strip():
        raise ReviewError("Say why you settle on these marks: the reviewers learn from it.")
    return append(held, by, submissions.check(marks, _keys(held)), why.strip())


def append(item: ReviewItem, by: Person, marks: dict[str, int], why: str) -> Adjudication:
    """Append what was settled to an item whose row is held."""
    earlier = item.adjudications.last()
    made = Adjudication.objects.create(item=item, by=by, marks=marks, why=why)
    ReviewItem.objects.filter(pk=item.pk).update(state=State.SETTLED)
    given = [side.marks for side in sides(item)]
    events.record(
        Verb.SETTLED,
        by,
        item=item,
        before={"reviews": given, "settled": earlier.marks if earlier else None},
        after={"marks": marks},
        why=why,
        rubric_version=f"{item.kind} {item.rubric.version}",
    )
    return made


@transaction.atomic
def add_reviewer(item_id: int, by: Person, why: str = "") -> ReviewItem:
    """Make room for one more reviewer on an answer that is not settled."""
    held = items.hold_item(item_id)
    if held.state in {State.SETTLED, State.CLOSED}:
        raise items.AlreadySettledError
    if held.slots >= _MOST_SLOTS:
        raise ReviewError(f"At most {_MOST_SLOTS} people mark an answer. Settle it instead.")
    ReviewItem.objects.filter(pk=held.pk).update(slots=F("slots") + 1, returned=True)
    items.reckon([held.pk])
    slots = {"slots": held.slots}
    events.record(Verb.REVIEWER_ADDED, by, item=held, before=slots, after={"slots": held.slots + 1}, why=why)
    held.refresh_from_db()
    return held


def _side(letter: str, review: Review) -> Side:
    marks = {mark.criterion: mark.value for mark in review.marks.all()}
    return Side(letter, marks, review.comment, review.flagged, review.decision, review.reason)


def _keys(item: ReviewItem) -> list[str]:
    return list(item.rubric.criteria.order_by("position").values_list("key", flat=True))
