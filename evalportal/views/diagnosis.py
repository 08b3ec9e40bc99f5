"""Diagnosis: what a run says of its model, on the screen and on paper."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from evalportal import roles
from evalportal.diagnosis import diagnosing
from evalportal.diagnosis.forms import LimitsForm
from evalportal.http import Request
from evalportal.roles import Role
from scoring import diagnosis_rules
from scoring.models import Run


@roles.only(Role.MANAGER, Role.ADMIN)
@require_GET
def diagnosis(request: Request, pk: int) -> HttpResponse:
    """Say what is unsafe, what is weak and why, and what to collect next."""
    run = get_object_or_404(Run.objects.select_related("version__dataset", "endpoint", "judge"), pk=pk)
    form = LimitsForm(request.GET or None)
    limits = form.limits() if form.is_valid() else diagnosis_rules.DEFAULT
    context = {"run": run, "form": form, "diagnosis": diagnosing.diagnose(run, limits)}
    return render(request, "evalportal/diagnosis.html", context, status=422 if form.errors else 200)
