"""The request as views see it: a person signed in, htmx, and a query that any database takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpRequest, QueryDict
from django_htmx.middleware import HtmxDetails

if TYPE_CHECKING:
    from evalportal.models import Person


class Request(HttpRequest):
    """A request of someone who is signed in."""

    user: Person
    htmx: HtmxDetails


def query(request: HttpRequest) -> QueryDict:
    """Give what stands behind the question mark, without NUL characters: PostgreSQL takes none in a text."""
    text = request.META.get("QUERY_STRING", "")
    return QueryDict(text.replace("%00", "")) if "%00" in text else request.GET
