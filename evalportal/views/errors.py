"""Errors: what went wrong, in the portal's own face."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFilesSent
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render


def error_400(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Say what was too much for one request."""
    reasons: dict[type, str] = {
        TooManyFilesSent: f"More than {settings.DATA_UPLOAD_MAX_NUMBER_FILES} files came at once: "
        "send them in several parts, or put their lines into fewer files.",
        RequestDataTooBig: "More text came at once than a form may hold: send it as a file.",
    }
    return render(request, "400.html", {"reason": reasons.get(type(exception), "")}, status=400)


def error_403(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Say which role a page is for."""
    return render(request, "403.html", {"reason": str(exception or "")}, status=403)


def error_404(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Say that nothing is here."""
    return render(request, "404.html", status=404)


def error_500(request: HttpRequest) -> HttpResponseBase:
    """Say that something broke; drawn without the database, which may be what broke."""
    return render(request, "500.html", status=500)
