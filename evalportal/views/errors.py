"""Errors: what went wrong, in the portal's own face."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import DisallowedHost, RequestDataTooBig, TooManyFilesSent
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render


def error_400(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Say what the portal cannot take, or that it has another name."""
    if isinstance(exception, DisallowedHost):
        # Drawn without the database, which whoever knows no better name has no business with.
        return render(request, "400_host.html", status=400)
    if isinstance(exception, RequestDataTooBig):
        return error_413(request, "More text came at once than a form may hold: send it as a file.")
    many = (
        f"More than {settings.DATA_UPLOAD_MAX_NUMBER_FILES} files came at once: "
        "send them in several parts, or put their lines into fewer files."
    )
    reason = many if isinstance(exception, TooManyFilesSent) else ""
    return render(request, "400.html", {"reason": reason}, status=400)


def error_403(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Say which role a page is for."""
    return render(request, "403.html", {"reason": str(exception or "")}, status=403)


def error_404(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Say that nothing is here."""
    return render(request, "404.html", status=404)


def error_413(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Say how much the portal takes at once."""
    context = {"reason": reason, "most": settings.MAX_UPLOAD_BYTES}
    return render(request, "413.html", context, status=413)


def error_500(request: HttpRequest) -> HttpResponseBase:
    """Say that something broke; drawn without the database, which may be what broke."""
    return render(request, "500.html", status=500)
