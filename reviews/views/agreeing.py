"""Agreeing: how far reviewers agree, what else goes to people, and when a run is final."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.auth import get_user_model
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from evalportal import roles
from evalportal.http import Request
from evalportal.roles import Role
from reviews import agreement, finishing, sampling
from reviews.items import ReviewError
from reviews.models import Rubric
from reviews.views.outcome import done
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
    kinds = [_kind(run, Rubric.Kind(kind), values, names) for kind, values in found["kinds"].items()]
    context = {
        "run": run,
        "kinds": kinds,
        "standing": finishing.standing(run),
        "speed": [one | {"name": names.get(one["reviewer"], "?")} for one in found["speed"]],
        "days": _days(found["days"], names),
        "rounds": run.calibrations.all(),
    }
    return render(request, "reviews/agreement_report.html", context)


def _kind(run: Run, kind: Rubric.Kind, found: dict[str, Any], names: dict[int, str]) -> dict[str, Any]:
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
        "parts": [
            ("", {"Overall": found["overall"]}),
            # The database keeps no order of its own: criteria stand as in their rubric, benchmarks by number.
            ("By criterion", {key: found["by_criterion"][key] for key in found["criteria"]}),
            (
                "By benchmark",
                dict(sorted(found["by_benchmark"].items(), key=lambda one: (len(one[0]), one[0]))),
            ),
            ("By pair", {_pair(row["pair"], names): row for row in found["by_pair"]}),
        ],
        "advice": [_advice(run, one, names) for one in (found["gate"] or {}).get("advice", [])],
    }


def _by_number(codes: Iterable[str]) -> list[str]:
    return sorted(codes, key=lambda code: (len(code), code))


def _pair(pair: list[int], names: dict[int, str]) -> str:
    return " and ".join(sorted(names.get(person, "?") for person in pair))


def _days(days: list[dict[str, Any]], names: dict[int, str]) -> dict[str, Any]:
    """Lay the marks of each day out: a row for each day, a column for each reviewer."""
    people = sorted({one["reviewer"] for one in days}, key=lambda person: names.get(person, "?"))
    cells = {(one["day"], one["reviewer"]): one for one in days}
    return {
        "people": [names.get(person, "?") for person in people],
        "rows": [
            (day, [cells.get((day, person)) for person in people])
            for day in sorted({one["day"] for one in days})
        ],
    }


def _advice(run: Run, advice: dict[str, Any], names: dict[int, str]) -> tuple[str, str]:
    """Say in a sentence what to do about a gate that is not met, and where to do it."""
    if advice["do"] == "calibrate":
        return f"Calibrate on {advice['criterion']}: marks agree least there ({advice['value']:.0%}).", ""
    if advice["do"] == "compare":
        pair = _pair(advice["pair"], names)
        path = reverse("reviews:agreement-differences", args=[run.pk, *advice["pair"]])
        return f"Read the answers on which {pair} differ: they agree least ({advice['value']:.0%}).", path
    disputed = f"{reverse('reviews:adjudication-list')}?run={run.pk}"
    if advice["do"] == "adjudicate":
        return f"Settle what is disputed: {advice['answers']} of the answers.", disputed
    return "Add a reviewer to answers that stay in doubt.", disputed


@roles.only(Role.MANAGER, Role.ADMIN)
@require_GET
def agreement_differences(request: Request, pk: int, one: int, other: int) -> HttpResponse:
    """List the answers on which two reviewers differ."""
    run = get_object_or_404(Run, pk=pk)
    people = [get_object_or_404(get_user_model(), pk=person) for person in (one, other)]
    context = {"run": run, "people": people, "differences": agreement.differences(run, one, other)}
    return render(request, "reviews/agreement_differences.html", context)


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
    return done(request, finish, "The run is final as soon as it is scored by what people marked.", onward)


@roles.only(Role.ADMIN)
@require_POST
def run_widen(request: Request, pk: int) -> HttpResponse:
    """Draw more verdicts of a run for people to validate; what was drawn stays drawn."""
    run = get_object_or_404(Run, pk=pk)

    def widen() -> None:
        try:
            percent = float(request.POST.get("percent", ""))
        except ValueError:
            raise ReviewError("Type the share as a number of per cent.") from None
        sampling.widen(run, percent / 100, request.user)

    return done(request, widen, "More verdicts go to people.", redirect("reviews:agreement-report", pk))


@roles.only(Role.ADMIN)
@require_POST
def run_flagged(request: Request, pk: int) -> HttpResponse:
    """Send the flagged answers of a run to people too."""
    run = get_object_or_404(Run, pk=pk)
    return done(
        request,
        lambda: sampling.send(run, sampling.flagged_responses(run), request.user, "flagged by the metrics"),
        "The flagged answers go to people.",
        redirect("reviews:agreement-report", pk),
    )
