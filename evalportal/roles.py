"""A role goes in, what it may do comes out; the one place that knows."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.core.exceptions import PermissionDenied
from django.db.models import TextChoices
from django.http import HttpResponseBase

from evalportal.http import Request

P = ParamSpec("P")
View = Callable[Concatenate[Request, P], HttpResponseBase]


class Role(TextChoices):
    """What a person is here for; nobody both marks answers and sees their scores beforehand."""

    ADMIN = "admin", "Admin"
    REVIEWER = "reviewer", "Reviewer"
    MANAGER = "manager", "Manager"


DUTIES = {
    Role.ADMIN: "Uploads cases, sets up models and runs, invites people, settles disagreements.",
    Role.REVIEWER: "Marks answers against rubrics and checks the judge's verdicts, blind.",
    Role.MANAGER: "Reads leaderboards, comparisons and diagnoses.",
}


def only(*roles: Role) -> Callable[[View[P]], View[P]]:
    """Refuse a view to everyone who has none of these roles."""

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def guarded(request: Request, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if request.user.role not in roles:
                needed = " or ".join(Role(role).label.lower() for role in roles)
                raise PermissionDenied(f"This page is for the role {needed}.")
            return view(request, *args, **kwargs)

        return guarded

    return decorate
