"""Something that may be refused goes in; a message and the page to go on with come out."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse

from evalportal.http import Request
from reviews.items import ReviewError


def done(request: Request, act: Callable[[], object], message: str, onward: HttpResponse) -> HttpResponse:
    """Do it, say what was done or why it was refused, and go on."""
    try:
        act()
    except ReviewError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, message)
    return onward
