"""Agreeing: how far reviewers agree, what is disputed, how it is settled, and when a run is final."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from evalportal import roles
from evalportal.http import Request
from evalportal.roles import Role
from reviews import adjudication, agreement, calibration, finishing, sampling
from reviews.items import ReviewError
from reviews.models import CalibrationRound, ReviewItem, Rubric
from reviews.views.marking import MARK
from scoring import tasks
from scoring.models import Run

MEASURES = {
    "exact": "Equal marks",
    "within_one": "At most one apart",
    "kappa": "Weighted kappa",
    "krippendorff_alpha": "Ordinal alpha",
    "gwet_ac2": "Gwet's AC2",
}


@roles.only(Role.MANAGER, Role.ADMIN)
@require_GET
def agreement_report(request: Request, pk: int) -> HttpResponse:
    """Show the gate, the statistics by criterion, benchmark and pair, and the pace of each reviewer."""
    run = get_object_or_404(Run.objects.select_related("version__dataset", "endpoint"), pk=pk)
    found = agreement.report(run)
    names = {int(person): name for person, name in found["names"].items()}
    kinds = [_kind(Rubric.Kind(kind), values, names) for kind, values in found["kinds"].items()]
    context = {
        "run": run,
        "kinds": kinds,
        "standing": finishing.standing(run),
        "speed": [one | {"name": names.get(one["reviewer"], "?")} for one in found["speed"]],
        "days": [one | {"name": names.get(one["reviewer"], "?")} for one in found["days"]],
        "rounds": run.calibrations.all(),
    }
    return render(request, "reviews/agreement_report.html", context)


def _kind(kind: Rubric.Kind, found: dict[str, Any], names: dict[int, str]) -> dict[str, Any]:
    """Lay the report of one kind of rubric out for its tables."""
    people = sorted(found["reviewers"], key=lambda person: names.get(person, ""))
    pairs = {frozenset(row["pair"]): row for row in found["by_pair"]}
    return {
        "kind": kind,
        "found": found,
        "measures": MEASURES,
        "people": [(person, names.get(person, "?")) for person in people],
        "cells": [
            (names.get(one, "?"), [(one, other, pairs.get(frozenset((one, other)))) for other in people])
            for one in people
        ],
        "advice": [_advice(one, names) for one in (found["gate"] or {}).get("advice", [])],
    }


def _advice(advice: dict[str, Any], names: dict[int, str]) -> str:
    """Say in a sentence what to do about a gate that is not met."""
    if advice["do"] == "calibrate":
        return f"Calibrate on {advice['criterion']}: marks agree least there ({advice['value']:.0%})."
    if advice["do"] == "compare":
        one, other = (names.get(person, "?") for person in advice["pair"])
        return (
            f"Read the answers on which {one} and {other} differ: they agree least ({advice['value']:.0%})."
        )
    if advice["do"] == "adjudicate":
        return f"Settle the {advice['answers']} disputed answers."
    return "Add a reviewer to answers that stay in doubt."


@roles.only(Role.MANAGER, Role.ADMIN)
@require_GET
def agreement_differences(request: Request, pk: int, one: int, other: int) -> HttpResponse:
    """List the answers on which two reviewers differ."""
    run = get_object_or_404(Run, pk=pk)
    people = [get_object_or_404(get_user_model(), pk=person) for person in (one, other)]
    context = {"run": run, "people": people, "differences": agreement.differences(run, one, other)}
    return render(request, "reviews/agreement_differences.html", context)


@roles.only(Role.ADMIN)
@require_GET
def adjudication_list(request: Request) -> HttpResponse:
    """List the disputed answers, worst first."""
    number = request.GET.get("run", "")
    run = Run.objects.filter(pk=int(number)).first() if number.isdecimal() and len(number) < 18 else None
    waiting = adjudication.queue(run)
    return render(request, "reviews/adjudication_list.html", {"items": waiting[:100], "run": run})


@roles.only(Role.ADMIN)
@require_http_methods(["GET", "POST"])
def adjudication_detail(request: Request, pk: int) -> HttpResponse:
    """Show the reviews of an answer side by side, without names, and settle it."""
    found = ReviewItem.objects.select_related("response__case", "rubric", "run")
    item = get_object_or_404(found, pk=pk)
    marks = {key.removeprefix(MARK): request.POST[key] for key in request.POST if key.startswith(MARK)}
    error = None
    if request.method == "POST":
        try:
            adjudication.settle(pk, request.user, marks, request.POST.get("why", ""))
        except ReviewError as refused:
            error = refused
        else:
            messages.success(request, f"{item.response.case.key} is settled.")
            return redirect("reviews:adjudication-list")
    sides = adjudication.sides(item)
    criteria = [
        (criterion, [side.marks.get(criterion.key) for side in sides], marks.get(criterion.key, ""))
        for criterion in item.rubric.criteria.order_by("position")
    ]
    context = {"item": item, "case": item.response.case, "sides": sides, "criteria": criteria, "error": error}
    context |= {"earlier": item.adjudications.order_by("-pk"), "why": request.POST.get("why", "")}
    return render(request, "reviews/adjudication_detail.html", context, status=422 if error else 200)


@roles.only(Role.ADMIN)
@require_POST
def adjudication_reviewer(request: Request, pk: int) -> HttpResponse:
    """Ask one more reviewer instead of settling."""
    return _done(
        request,
        lambda: adjudication.add_reviewer(pk, request.user, request.POST.get("why", "")),
        "One more reviewer will mark it.",
        redirect("reviews:adjudication-list"),
    )


@roles.only(Role.ADMIN)
@require_POST
def calibration_begin(request: Request, pk: int) -> HttpResponse:
    """Hand the same ten answers to every reviewer."""
    run = get_object_or_404(Run, pk=pk)
    return _done(
        request,
        lambda: calibration.begin(run, request.user),
        "The round has begun: every reviewer gets the same ten answers next.",
        redirect("reviews:agreement-report", pk),
    )


@roles.only(Role.ADMIN)
@require_http_methods(["GET", "POST"])
def calibration_detail(request: Request, pk: int) -> HttpResponse:
    """Show what reviewers made of the same answers, and keep what the discussion came to."""
    found = get_object_or_404(CalibrationRound.objects.select_related("run", "rubric"), pk=pk)
    criteria = list(found.rubric.criteria.order_by("position"))
    items = list(found.items.select_related("response__case").order_by("pk"))
    if request.method == "POST":
        references = {
            item.pk: {one.key: request.POST.get(f"{MARK}{item.pk}-{one.key}", "") for one in criteria}
            for item in items
        }
        return _done(
            request,
            lambda: calibration.conclude(pk, request.user, references, request.POST.get("outcome", "")),
            "The round is concluded; its marks are the reference.",
            redirect("reviews:calibration-detail", pk),
        )
    rows = [(item, adjudication.sides(item), item.adjudications.last()) for item in items]
    context = {"round": found, "criteria": criteria, "rows": rows, "distances": calibration.distances(found)}
    context["names"] = dict(get_user_model().objects.values_list("pk", "name"))
    return render(request, "reviews/calibration_detail.html", context)


@roles.only(Role.ADMIN)
@require_POST
def run_finish(request: Request, pk: int) -> HttpResponse:
    """Make a run final, or final as it stands with a reason; a worker scores it by what people marked."""
    run = get_object_or_404(Run, pk=pk)
    why = request.POST.get("why", "")

    def finish() -> None:
        if why.strip():
            finishing.finish_anyway(run, request.user, why)
        else:
            finishing.finish(run, request.user)
        tasks.ring_for(run)

    onward = redirect("reviews:agreement-report", pk)
    return _done(request, finish, "The run is final as soon as it is scored by what people marked.", onward)


@roles.only(Role.ADMIN)
@require_POST
def run_flagged(request: Request, pk: int) -> HttpResponse:
    """Send the flagged answers of a run to people too."""
    run = get_object_or_404(Run, pk=pk)
    return _done(
        request,
        lambda: sampling.send(run, sampling.flagged_responses(run), request.user, "flagged by the metrics"),
        "The flagged answers go to people.",
        redirect("reviews:agreement-report", pk),
    )


def _done(request: Request, act: Any, message: str, onward: HttpResponse) -> HttpResponse:
    try:
        act()
    except ReviewError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, message)
    return onward
