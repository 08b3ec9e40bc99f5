"""The request as views see it: a person signed in, and htmx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

if TYPE_CHECKING:
    from evalportal.models import Person


class Request(HttpRequest):
    """A request of someone who is signed in."""

    user: Person
    htmx: HtmxDetails
