"""Errors: what went wrong, in the portal's own face."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import DisallowedHost, RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render


def error_400(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Say what cannot be understood; drawn without the database, which a stranger has no business with."""
    if isinstance(exception, RequestDataTooBig):
        return error_413(request)
    unknown_name = isinstance(exception, DisallowedHost)
    return render(request, "400.html", {"unknown_name": unknown_name}, status=400)


def error_403(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Say which role a page is for."""
    return render(request, "403.html", {"reason": str(exception or "")}, status=403)


def error_404(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Say that nothing is here."""
    return render(request, "404.html", status=404)


def error_413(request: HttpRequest) -> HttpResponse:
    """Say how much the portal takes at once."""
    return render(request, "413.html", {"most": settings.MAX_UPLOAD_BYTES}, status=413)


def error_500(request: HttpRequest) -> HttpResponseBase:
    """Say that something broke; drawn without the database, which may be what broke."""
    return render(request, "500.html", status=500)
