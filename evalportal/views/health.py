"""Health: whether this process and what it needs answer."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.db.utils import OperationalError
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET


@login_not_required
@require_GET
def healthz(request: HttpRequest) -> HttpResponse:
    """Say that this process answers."""
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@never_cache
@require_GET
def readyz(request: HttpRequest) -> HttpResponse:
    """Say whether the database answers too."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except OperationalError:
        return HttpResponse("the database does not answer\n", status=503, content_type="text/plain")
    return HttpResponse("ok\n", content_type="text/plain")
