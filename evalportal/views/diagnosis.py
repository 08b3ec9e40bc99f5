"""Diagnosis: what a run says of its model, on the screen and on paper."""

from __future__ import annotations

from hashlib import sha256

from django.core.cache import cache
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET

from evalportal import roles
from evalportal.diagnosis import diagnosing
from evalportal.diagnosis.forms import LimitsForm
from evalportal.http import Request
from evalportal.roles import Role
from scoring import diagnosis_rules
from scoring.diagnosis_rules import Limits
from scoring.models import Run

# Raise it when the diagnosis shows other things: what was drawn before is then drawn anew.
VERSION = 1
_KEPT_SECONDS = 3600


@roles.only(Role.MANAGER, Role.ADMIN)
@require_GET
def diagnosis(request: Request, pk: int) -> HttpResponse:
    """Say what is unsafe, what is weak and why, and what to collect next."""
    run = get_object_or_404(Run.objects.select_related("version__dataset", "endpoint", "judge"), pk=pk)
    form = LimitsForm(request.GET or None)
    limits = form.limits() if form.is_valid() else diagnosis_rules.DEFAULT
    context = {"run": run, "form": form, "diagnosis": _drawn(run, limits)}
    return render(request, "evalportal/diagnosis.html", context, status=422 if form.errors else 200)


def _drawn(run: Run, limits: Limits) -> SafeString:
    """Draw the diagnosis, or take it as it was drawn before if the run has not changed since."""
    shown = (VERSION, run.pk, run.name, run.state, run.finished_at, run.reviewed_at, limits)
    name = f"diagnosis:{sha256(repr(shown).encode()).hexdigest()}"
    found: SafeString | None = cache.get(name) if run.finished_at else None
    if found is None:
        context = {"run": run, "diagnosis": diagnosing.diagnose(run, limits)}
        found = render_to_string("evalportal/_diagnosis.html", context)
        cache.set(name, found, timeout=_KEPT_SECONDS)
    return found
