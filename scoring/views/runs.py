"""Runs: set up, listed, watched, and read."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from evalportal import roles
from evalportal.http import Request
from evalportal.roles import Role
from scoring import blindness, endings, estimates, paging, progress, questions, runs, tasks
from scoring.forms.runs import RunForm
from scoring.models import Response, Run
from scoring.views import pressing

# What the table of answers may be narrowed to.
SHOWN = {
    "all": Q(),
    "failed": Q(state="failed"),
    "below": Q(scored__passed=False),
    "flagged": Q(scored__flags__len__gt=0),
    "unfinished": Q(scored__flags__overlap=endings.FLAGS),
    "fabricated": Q(scored__fabricated=True),
    "awaiting": Q(scored__pending__gt=""),
}


@require_GET
def run_list(request: Request) -> HttpResponse:
    """List the runs, the newest first."""
    found = Run.objects.select_related("version__dataset", "endpoint", "created_by")
    found = found.filter(blindness.seen_by(request.user))
    context = {"page": paging.newest_first(found, request.GET)}
    return render(request, "scoring/run_list.html", context)


@roles.only(Role.ADMIN)
@require_http_methods(["GET", "POST"])
def run_new(request: Request) -> HttpResponse:
    """Set up a run and start it."""
    form = RunForm(request.POST or None, initial=request.GET.dict())
    unready = pressing.unready(request, form.instance) if form.is_valid() else []
    if form.is_valid() and not unready and (run := _started(request, form)):
        tasks.ring_for(run)
        return redirect(run)
    context = {"form": form, "estimate": _estimate(form), "unready": unready}
    return render(request, "scoring/run_new.html", context, status=422 if form.errors or unready else 200)


def _started(request: Request, form: RunForm) -> Run | None:
    """Save and start in one go, so that whatever comes between leaves nothing behind."""
    form.instance.created_by = request.user
    try:
        with transaction.atomic():
            runs.start(form.save())
    except runs.RunStateError as error:
        form.add_error(None, str(error))
        return None
    return form.instance


@roles.only(Role.ADMIN)
@require_POST
def run_estimate(request: Request) -> HttpResponse:
    """Say how much work the run would be, as it is being set up."""
    form = RunForm(request.POST)
    return render(request, "scoring/_run_estimate.html", {"form": form, "estimate": _estimate(form)})


def _estimate(form: RunForm) -> estimates.Estimate | None:
    if not form.is_bound or (not form.is_valid() and "version" not in form.cleaned_data):
        return None
    values = form.cleaned_data
    version = values["version"]
    cases = questions.cases(version, values.get("benchmarks") or (), values.get("test_ids") or ())
    return estimates.estimate(
        cases,
        version.dataset.suite,
        samples=values.get("samples") or 1,
        noise_levels=values.get("noise_levels") or (),
        endpoint=values.get("endpoint"),
        max_tokens=values.get("max_tokens"),
        judged=values.get("judge") is not None,
        judge_votes=values.get("judge_votes") or 1,
        reviewers=values.get("reviewers") or 2,
        validation_share=values.get("validation_share") or 0.2,
    )


@require_GET
def run_detail(request: Request, pk: int) -> HttpResponse:
    """Show a run: how far it is, what it scored, and its answers."""
    run = _readable(request, pk)
    context = {**_progress_context(run), **_responses_context(request, run)}
    return render(request, "scoring/run_detail.html", context)


@require_GET
def run_progress(request: Request, pk: int) -> HttpResponse:
    """Show the part of a run's page that changes while it is under way."""
    return render(request, "scoring/_run_progress.html", _progress_context(_readable(request, pk)))


@require_GET
def run_responses(request: Request, pk: int) -> HttpResponse:
    """Show the table of a run's answers, filtered."""
    run = _readable(request, pk)
    return render(request, "scoring/_run_responses.html", _responses_context(request, run))


def _readable(request: Request, pk: int) -> Run:
    run = get_object_or_404(Run.objects.select_related("version__dataset", "endpoint", "judge"), pk=pk)
    blindness.check(request.user, run)
    return run


def _progress_context(run: Run) -> dict[str, Any]:
    staged, troubles = progress.stages(run), progress.troubles(run)
    unheard = progress.unheard(run) if run.under_way or run.paused_by_portal else []
    return {
        "run": run,
        "stages": staged,
        "troubles": troubles,
        "speed": progress.speed(run),
        "unheard": unheard,
        "news": progress.news(run, staged, unheard),
        "offered": _offered(run, troubles),
    }


def _offered(run: Run, troubles: list[progress.Trouble]) -> set[str]:
    """Name the buttons that a run's state allows and that would change something now."""
    idle = {
        "pause": run.state == Run.State.PAUSED and not run.paused_by_portal,
        "retry": not any(trouble.failed for trouble in troubles),
        "rescore": run.under_way,
    }
    return {press for press, states in runs.ALLOWED.items() if run.state in states and not idle.get(press)}


def _responses_context(request: Request, run: Run) -> dict[str, Any]:
    shown = request.GET.get("show", "all")
    shown = shown if shown in SHOWN else "all"
    found = Response.objects.filter(run=run).with_scores(run).filter(SHOWN[shown])
    page = paging.page(found, "position", request.GET)
    return {"run": run, "page": page, "shown": shown, "choices": list(SHOWN)}
