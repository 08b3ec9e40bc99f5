"""Buttons of a run: what they press, and back to its page."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from evalportal import roles
from evalportal.http import Request
from evalportal.roles import Role
from scoring import readiness, runs, tasks
from scoring.models import Run


@roles.only(Role.ADMIN)
@require_POST
def run_start(request: Request, pk: int) -> HttpResponse:
    """Start a draft, if its models answer."""
    run = get_object_or_404(Run.objects.select_related("endpoint", "judge"), pk=pk)
    if found := unready(request, run):
        return render(request, "scoring/run_unready.html", {"run": run, "unready": found}, status=422)
    return _acted(request, pk, runs.start)


def unready(request: Request, run: Run) -> list[readiness.Unready]:
    """Name the models that do not answer, unless the run shall start anyway."""
    return [] if "anyway" in request.POST else readiness.unready(run)


@roles.only(Role.ADMIN)
@require_POST
def run_pause(request: Request, pk: int) -> HttpResponse:
    """Send nothing more for now."""
    return _acted(request, pk, runs.pause)


@roles.only(Role.ADMIN)
@require_POST
def run_resume(request: Request, pk: int) -> HttpResponse:
    """Go on where it stood."""
    return _acted(request, pk, runs.resume)


@roles.only(Role.ADMIN)
@require_http_methods(["GET", "POST"])
def run_cancel(request: Request, pk: int) -> HttpResponse:
    """Ask first, then end it for good; what is answered stays."""
    if request.method == "POST":
        return _acted(request, pk, runs.cancel)
    run = get_object_or_404(Run, pk=pk)
    if run.state not in runs.ALLOWED["cancel"]:
        return redirect(run)
    unanswered = run.responses.exclude(state__in=("done", "failed")).count()
    return render(request, "scoring/run_cancel.html", {"run": run, "unanswered": unanswered})


@roles.only(Role.ADMIN)
@require_http_methods(["GET", "POST"])
def run_delete(request: Request, pk: int) -> HttpResponse:
    """Ask first, then remove a draft."""
    run = get_object_or_404(Run, pk=pk)
    if request.method != "POST":
        draft = run.state in runs.ALLOWED["delete"]
        return render(request, "scoring/run_delete.html", {"run": run}) if draft else redirect(run)
    try:
        runs.delete(run)
    except runs.RunStateError as error:
        messages.error(request, str(error))
        return redirect(run)
    messages.success(request, f"The draft “{run.name}” is deleted.")
    return redirect("scoring:run-list")


@roles.only(Role.ADMIN)
@require_POST
def run_retry(request: Request, pk: int) -> HttpResponse:
    """Ask again what failed, and nothing else."""
    return _acted(request, pk, runs.retry_failed)


@roles.only(Role.ADMIN)
@require_POST
def run_rescore(request: Request, pk: int) -> HttpResponse:
    """Score the same answers by the metrics as they are now."""
    return _acted(request, pk, runs.rescore)


def _acted(request: Request, pk: int, act: Callable[[Run], object]) -> HttpResponse:
    run = get_object_or_404(Run, pk=pk)
    try:
        act(run)
    except runs.RunStateError as error:
        messages.error(request, str(error))
    else:
        tasks.ring_for(run)
    return redirect(run)


@roles.only(Role.ADMIN)
@require_POST
def run_repeat(request: Request, pk: int) -> HttpResponse:
    """Start a new run of the same configuration, if its models answer; anew, it takes none from the cache."""
    run = get_object_or_404(Run.objects.select_related("endpoint", "judge"), pk=pk)
    if found := unready(request, run):
        return render(request, "scoring/run_unready.html", {"run": run, "unready": found}, status=422)
    try:
        with transaction.atomic():
            repeated = runs.again(run, request.user, anew="anew" in request.POST)
            runs.start(repeated)
    except runs.RunStateError as error:
        messages.error(request, str(error))
        return redirect(run)
    tasks.ring_for(repeated)
    return redirect(repeated)
