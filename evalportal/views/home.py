"""Home: what to do next, by role."""

from __future__ import annotations

from typing import Any

from django.core.cache import cache
from django.http import HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET

from evalportal import leaderboard, outlook
from evalportal.http import Request
from evalportal.leaderboard import Filters
from evalportal.models import Person
from evalportal.roles import Role
from reviews import adjudication, agreement, notices, timing
from scoring.models import Dataset, Endpoint, Run, Upload

_HEAD = 5  # so many runs of the board
_KEPT_SECONDS = 3600


@require_GET
def home(request: Request) -> HttpResponse:
    """Say what there is to do next, by role."""
    context: dict[str, Any] = {"datasets": Dataset.objects.with_latest().in_use().newest_first()[:5]}
    if request.user.is_admin:
        context |= _for_admins()
    elif request.user.is_reviewer:
        context |= _for_reviewers(request.user)
    else:
        context |= _for_managers(request)
    return render(request, "evalportal/home.html", context)


def _for_admins() -> dict[str, Any]:
    people = Person.objects.filter(is_active=True).values_list("role", flat=True)
    runs = Run.objects.select_related("version__dataset", "endpoint")[:6]
    return {
        "under_way": outlook.under_way(),
        "failures": outlook.failures(),
        "queues": outlook.queues(),
        "runs": runs,
        "uploads": Upload.objects.select_related("created_by")[:4],
        "disputed": adjudication.queue().count(),
        "endpoint_count": Endpoint.objects.count(),
        "people_count": len(people),
        "has_reviewers": Role.REVIEWER in people,
    }


def _for_reviewers(person: Person) -> dict[str, Any]:
    waiting, seconds = notices.waiting(person), timing.median_seconds(person)
    return {
        "waiting": waiting,
        "seconds": seconds,
        "seconds_left": None if seconds is None else seconds * (waiting.free + waiting.in_hand),
        "standing": agreement.kept(person),
    }


def _for_managers(request: Request) -> dict[str, Any]:
    return {"board": _head(request), "unmet": outlook.unmet()}


def _head(request: Request) -> SafeString:
    """Draw the head of the board, or take it as it was drawn before if nothing of the board has changed."""
    name = f"board-head:{leaderboard.state(Filters())}"
    found: SafeString | None = cache.get(name)
    if found is None:
        board = leaderboard.board(Filters())
        more = max(0, len(board.rows) - _HEAD)
        context = {"version": board.version, "rows": board.rows[:_HEAD], "more": more}
        found = render_to_string("evalportal/_home_board.html", context, request)
        cache.set(name, found, timeout=_KEPT_SECONDS)
    return found
