"""A request goes in, what its navigation shows comes out."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from evalportal.roles import Role

ADMIN, REVIEWER, MANAGER = Role.ADMIN, Role.REVIEWER, Role.MANAGER
EVERYONE = frozenset(Role)
THEMES = ("system", "light", "dark")
# Paths that belong to a place with another first word.
BELONGS = {"uploads": "datasets"}


class Place(NamedTuple):
    """One line of the navigation; `section` is the first word of the paths it stands for."""

    label: str
    icon: str
    url: str
    section: str
    roles: frozenset[Role]


PLACES = (
    Place("Home", "house", "home", "", EVERYONE),
    Place("My queue", "inbox", "reviews:queue", "queue", frozenset({REVIEWER})),
    Place("Leaderboard", "trophy", "leaderboard", "leaderboard", frozenset({ADMIN, MANAGER})),
    Place("Runs", "play", "scoring:run-list", "runs", EVERYONE),
    Place("Datasets", "database", "scoring:dataset-list", "datasets", EVERYONE),
    Place("Cases", "list-checks", "scoring:case-list", "cases", EVERYONE),
    Place("Models", "bot", "scoring:endpoint-list", "models", frozenset({ADMIN})),
    Place("Benchmarks", "ruler", "scoring:benchmark-list", "benchmarks", EVERYONE),
    Place("Adjudication", "gavel", "reviews:adjudication-list", "adjudication", frozenset({ADMIN})),
    Place("Rubrics", "list-ordered", "reviews:rubric-list", "rubrics", frozenset({ADMIN, MANAGER})),
    Place("Handbook", "book-open", "scoring:metric-list", "handbook", EVERYONE),
    Place("People", "users", "person-list", "people", frozenset({ADMIN})),
    Place("Audit", "scroll-text", "reviews:event-list", "audit", frozenset({ADMIN})),
)


def navigation(request: HttpRequest) -> dict[str, Any]:
    """Give templates the places that this person may go to, and the chosen theme."""
    word = request.path.strip("/").split("/")[0]
    section = BELONGS.get(word, word)
    role = getattr(request.user, "role", None) if hasattr(request, "user") else None
    places = [
        {
            "label": place.label,
            "icon": place.icon,
            "url": reverse(place.url),
            "here": place.section == section,
            "notice": settings.REVIEW_NOTICES and place.url == "reviews:queue",
        }
        for place in PLACES
        if role in place.roles
    ]
    theme = request.COOKIES.get("theme")
    return {"places": places, "theme": theme if theme in THEMES else "system", "demo": settings.DEMO}
