"""A decision goes in; a row of the append-only record comes out, and the chain of decisions on an answer."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Max, QuerySet

from reviews.models import Event, ReviewItem
from scoring.models import Response, Run

if TYPE_CHECKING:
    from evalportal.models import Person


class Verb(StrEnum):
    """What can be decided; the value is what is stored and shown."""

    DRAWN = "drawn"
    SENT = "sent to people"
    ASSIGNED = "assigned"
    SKIPPED = "skipped"
    DECLINED = "declined"
    MARKED = "marked"
    TAKEN_BACK = "taken back"
    CONFIRMED = "confirmed"
    OVERRIDDEN = "overridden"
    REVIEWER_ADDED = "reviewer added"
    SETTLED = "settled"
    CALIBRATION_BEGUN = "calibration begun"
    CALIBRATION_CONCLUDED = "calibration concluded"
    FINALISED = "finalised"
    FINALISED_ANYWAY = "finalised anyway"
    REOPENED = "reopened"
    RUBRIC_CHANGED = "rubric changed"
    INVITED = "invited"
    LINK_SHOWN = "invitation link shown"
    ROLE_CHANGED = "role changed"
    DEACTIVATED = "deactivated"
    REACTIVATED = "reactivated"


def record(
    verb: Verb,
    who: Person | None,
    *,
    item: ReviewItem | None = None,
    run: Run | int | None = None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    why: str = "",
    rubric_version: str = "",
    judge_version: str = "",
) -> Event:
    """Append one decision; an item brings its run and its response with it."""
    return Event.objects.create(
        verb=verb,
        who=who,
        run=item.run_id if item else (run.pk if isinstance(run, Run) else run),
        response=item.response_id if item else None,
        item=item.pk if item else None,
        before=before,
        after=after,
        why=why,
        rubric_version=rubric_version,
        judge_version=judge_version,
    )


def chain(response: Response) -> QuerySet[Event]:
    """List all that was decided on an answer, oldest first."""
    return Event.objects.filter(response=response.pk).select_related("who").order_by("pk")


def last(run: Run) -> str:
    """Name the state of a run's record: it changes with every decision, in whatever order they commit."""
    found = Event.objects.filter(run=run.pk).aggregate(last=Max("pk"), count=Count("pk"))
    return f"{found['last'] or 0}/{found['count']}"
