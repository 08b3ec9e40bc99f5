"""Home: what to do next, by role."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from evalportal.http import Request
from evalportal.models import Person
from scoring.models import Dataset, Endpoint, Upload


@require_GET
def home(request: Request) -> HttpResponse:
    """Say what there is to do next, by role."""
    context = {
        "datasets": Dataset.objects.with_latest().order_by("-latest_at")[:5],
        "uploads": Upload.objects.select_related("created_by")[:5] if request.user.is_admin else [],
        "endpoint_count": Endpoint.objects.count(),
        "people_count": Person.objects.filter(is_active=True).count(),
    }
    return render(request, "evalportal/home.html", context)
