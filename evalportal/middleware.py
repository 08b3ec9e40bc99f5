"""Requests go in, those that are too large are refused; responses come out, with their security headers."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from evalportal.views.errors import error_413

# What a form holds besides its files.
_ROOM_FOR_FIELDS = 1024 * 1024
# Whoever is not signed in sends a password at most.
_STRANGERS_BYTES = 64 * 1024

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)


def content_security_policy(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Let pages load only what the portal itself serves, and run no inline script or style."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        return response

    return middleware


def largest_body(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Refuse what is too large before any of it is read: files of a form go to the disk as they come.

    A body without a length is never read at all.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        length = _length(request)
        if length > _STRANGERS_BYTES and length > _most(request):
            return error_413(request)
        return get_response(request)

    return middleware


def _length(request: HttpRequest) -> int:
    words = str(request.META.get("CONTENT_LENGTH", ""))
    return int(words) if words.isdecimal() else 0


def _most(request: HttpRequest) -> int:
    if not request.user.is_authenticated:
        return _STRANGERS_BYTES
    most: int = settings.MAX_UPLOAD_BYTES
    return most + _ROOM_FOR_FIELDS
