"""Settling: what is disputed or flagged, how it is settled, and rounds of calibration."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from evalportal import roles
from evalportal.http import Request
from evalportal.roles import Role
from reviews import adjudication, calibration
from reviews.items import ReviewError
from reviews.models import CalibrationRound, Criterion, ReviewItem
from reviews.views.marking import MARK
from reviews.views.outcome import done
from scoring.models import Run


@roles.only(Role.ADMIN)
@require_GET
def adjudication_list(request: Request) -> HttpResponse:
    """List the disputed answers, worst first, and those that a reviewer has flagged."""
    number, apart = request.GET.get("run", ""), request.GET.get("apart", "")
    run = Run.objects.filter(pk=int(number)).first() if number.isdecimal() and len(number) < 18 else None
    waiting = adjudication.queue(run, at_least=int(apart) if apart in {"1", "2", "3", "4"} else None)
    context = {
        "items": waiting[:100],
        "count": waiting.count(),
        "flagged": adjudication.flagged(run)[:100],
        "run": run,
        "apart": apart,
    }
    return render(request, "reviews/adjudication_list.html", context)


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
    return done(
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
    return done(
        request,
        lambda: calibration.begin(run, request.user),
        "The round has begun: every reviewer gets the same ten answers next.",
        redirect("reviews:agreement-report", pk),
    )


@roles.only(Role.ADMIN, Role.REVIEWER)
@require_http_methods(["GET", "POST"])
def calibration_detail(request: Request, pk: int) -> HttpResponse:
    """Show what reviewers made of the same answers, and keep what the discussion came to.

    Reviewers read a round once it is concluded, and how they themselves stood to its reference.
    """
    found = get_object_or_404(CalibrationRound.objects.select_related("run", "rubric"), pk=pk)
    if request.user.is_reviewer and (found.concluded_at is None or request.method == "POST"):
        raise PermissionDenied("A round is shown to reviewers once it is concluded.")
    criteria = list(found.rubric.criteria.order_by("position"))
    items = list(found.items.select_related("response__case").order_by("pk"))
    typed, error = {key: request.POST[key] for key in request.POST}, None
    if request.method == "POST":
        references = {item.pk: _reference(item, criteria, typed) for item in items}
        try:
            calibration.conclude(pk, request.user, references, typed.get("outcome", ""))
        except ReviewError as refused:
            error = refused
        else:
            messages.success(request, "The round is concluded; its marks are the reference.")
            return redirect("reviews:calibration-detail", pk)
    context = {"round": found, "criteria": criteria, "error": error, "outcome": typed.get("outcome", "")}
    context["rows"] = [_calibrated(item, criteria, typed) for item in items]
    context["distances"] = [
        (get_user_model().objects.get(pk=one.person), one)
        for one in calibration.distances(found)
        if request.user.is_admin or one.person == request.user.pk
    ]
    return render(request, "reviews/calibration_detail.html", context, status=422 if error else 200)


def _reference(item: ReviewItem, criteria: list[Criterion], typed: dict[str, str]) -> dict[str, str]:
    return {one.key: typed.get(f"{MARK}{item.pk}-{one.key}", "") for one in criteria}


def _calibrated(item: ReviewItem, criteria: list[Criterion], typed: dict[str, str]) -> dict[str, Any]:
    """Lay one answer of a round out: everybody's marks, and the reference as settled or as typed."""
    sides, settled = adjudication.sides(item), item.adjudications.last()
    reference = settled.marks if settled else _reference(item, criteria, typed)
    rows = [
        (one, [side.marks.get(one.key, "–") for side in sides], reference.get(one.key, ""))
        for one in criteria
    ]
    return {"item": item, "sides": sides, "rows": rows}
