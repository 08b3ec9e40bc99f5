"""Errors: what went wrong, in the portal's own face."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render


def error_403(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Say which role a page is for."""
    return render(request, "403.html", {"reason": str(exception or "")}, status=403)


def error_404(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Say that nothing is here."""
    return render(request, "404.html", status=404)


def error_500(request: HttpRequest) -> HttpResponseBase:
    """Say that something broke; drawn without the database, which may be what broke."""
    return render(request, "500.html", status=500)
