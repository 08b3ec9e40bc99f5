"""A person and a run go in; whether that person may see its answers comes out: reviewers mark blind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from django.db.models import Q

if TYPE_CHECKING:
    from evalportal.models import Person
    from scoring.models import Run

_SHOWN = "final"


def may_see(person: Person, run: Run) -> bool:
    """Say whether someone may see the model, the answers and the scores of a run."""
    return run.state == _SHOWN or not person.is_reviewer


def check(person: Person, run: Run) -> None:
    """Refuse a run that someone may not see yet."""
    if not may_see(person, run):
        raise PermissionDenied("Reviewers see a run once it is final, so that their marks stay blind.")


def seen_by(person: Person, to: str = "") -> Q:
    """Narrow rows to those of runs that someone may see; `to` leads from a row to its run: `run__`."""
    return Q(**{f"{to}state": _SHOWN}) if person.is_reviewer else Q()
