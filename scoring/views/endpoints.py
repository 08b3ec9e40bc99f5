"""Endpoints: the models that can be asked."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from evalportal import roles
from evalportal.http import Request
from evalportal.roles import Role
from scoring.models import Endpoint


@roles.only(Role.ADMIN)
@require_GET
def endpoint_list(request: Request) -> HttpResponse:
    """List the models that can be asked."""
    return render(request, "scoring/endpoint_list.html", {"endpoints": Endpoint.objects.all()})
