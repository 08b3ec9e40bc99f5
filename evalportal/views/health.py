"""Health: whether this process and what it needs answer."""

from __future__ import annotations

import secrets

from celery import current_app
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.db.utils import OperationalError
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from evalportal import broker, gauges


@login_not_required
@require_GET
def healthz(request: HttpRequest) -> HttpResponse:
    """Say that this process answers."""
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@never_cache
@require_GET
def readyz(request: HttpRequest) -> HttpResponse:
    """Say whether the database answers too, and whether the broker does.

    Without the database there is no page: 503. Without the broker pages are served, and runs wait in the
    database until it is back, so the portal is degraded, but ready: 200.
    """
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except OperationalError:
        return HttpResponse("the database does not answer\n", status=503, content_type="text/plain")
    if not broker.answers(current_app):
        return HttpResponse("degraded: the broker does not answer, so runs wait\n", content_type="text/plain")
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@never_cache
@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """Give Prometheus its figures: to admins, and to whoever brings the token of the environment."""
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    token = settings.METRICS_TOKEN
    known = bool(token) and secrets.compare_digest(given.encode(), token.encode())
    if not known and getattr(request.user, "role", "") != "admin":
        return HttpResponse(
            "bring the token, or sign in as an admin\n", status=401, content_type="text/plain"
        )
    return HttpResponse(gauges.text(), content_type="text/plain; version=0.0.4; charset=utf-8")
