"""What a reviewer typed goes in, and stays on the server until it is submitted."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db.models import Case, F, Value, When
from django.db.models.functions import Now
from django.utils import timezone

from reviews.assignments import LEASE
from reviews.items import GoneError
from reviews.models import Assignment
from scoring.scores import storable

if TYPE_CHECKING:
    from evalportal.models import Person

_LONGEST = 20_000
_LONGEST_SECONDS = 24 * 3600.0


def save(
    assignment_id: int,
    person: Person,
    marks: Mapping[str, Any],
    comment: str = "",
    *,
    flagged: bool = False,
    seconds: float | None = None,
    reason: str = "",
) -> datetime:
    """Keep what was typed so far, whatever it is worth, and hold the lease; say when it was kept."""
    saved_at, took = timezone.now(), plausible(seconds)
    draft = {"marks": storable(dict(marks)), "comment": _text(comment), "flagged": flagged}
    if reason:
        draft["reason"] = _text(reason)
    own = Assignment.objects.filter(pk=assignment_id, person=person)
    kept = own.update(
        draft=draft,
        draft_saved_at=saved_at,
        active_seconds=F("active_seconds") if took is None else Value(took),
        # Whoever types is at work; a lease that has gone to somebody else does not come back by typing.
        leased_until=Case(When(state=Assignment.State.LEASED, then=Now() + LEASE), default=F("leased_until")),
    )
    if not kept:
        raise GoneError
    return saved_at


def plausible(seconds: float | None) -> float | None:
    """Keep a time that a page can have measured."""
    return seconds if seconds is not None and 0 <= seconds <= _LONGEST_SECONDS else None


def _text(text: str) -> str:
    return str(storable(text[:_LONGEST]))
