"""Home: what to do next, by role."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from evalportal.http import Request
from evalportal.models import Person
from reviews import adjudication, notices
from scoring.engine import workers
from scoring.models import Dataset, Endpoint, Run, Upload


@require_GET
def home(request: Request) -> HttpResponse:
    """Say what there is to do next, by role."""
    context: dict[str, Any] = {"datasets": Dataset.objects.with_latest().in_use().newest_first()[:5]}
    if request.user.is_admin:
        context |= _for_admins()
    elif request.user.is_reviewer:
        context["waiting"] = notices.waiting(request.user)
    else:
        context["runs"] = _runs().exclude(state__in=(Run.State.DRAFT, Run.State.CANCELLED))[:8]
    return render(request, "evalportal/home.html", context)


def _for_admins() -> dict[str, Any]:
    return {
        "runs": _runs()[:6],
        "uploads": Upload.objects.select_related("created_by")[:4],
        "disputed": adjudication.queue().count(),
        "silent": workers.silent_queues(),
        "endpoint_count": Endpoint.objects.count(),
        "people_count": Person.objects.filter(is_active=True).count(),
    }


def _runs() -> Any:
    return Run.objects.select_related("version__dataset", "endpoint")
