"""One answer: what was asked and expected, what came, and why it scored what it scored."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from evalportal.http import Request
from scoring import benchmarks, handbook, highlighting, registry
from scoring.language.text import without_reasoning
from scoring.models import Response, Run, Score


@require_GET
def response_detail(request: Request, run_pk: int, pk: int) -> HttpResponse:
    """Show an answer with its evidence marked, and each metric with its value, weight and why."""
    found = Response.objects.select_related("run__version__dataset", "run__endpoint", "case__dataset")
    response = get_object_or_404(found, pk=pk, run=run_pk)
    if request.user.is_reviewer and response.run.state != Run.State.FINAL:
        raise PermissionDenied("Reviewers see a run once it is final, so that their marks stay blind.")
    score = (
        Score.objects.filter(response=response).select_related("scoring").order_by("-scoring__number").first()
    )
    answer = without_reasoning(response.content)
    metrics = _metrics(score)
    wanted = request.GET.get("metric", "")
    context = {
        "response": response,
        "run": response.run,
        "case": response.case,
        "benchmark": benchmarks.known(response.case.suite).get(response.case.benchmark),
        "score": score,
        "metrics": metrics,
        "metric": wanted,
        "stretches": highlighting.stretches(answer, _spans(metrics, wanted)),
        "reasoned": answer != response.content,
        "verdicts": response.verdicts.all(),
        "siblings": response.run.responses.filter(case=response.case)
        .exclude(pk=pk)
        .order_by("noise", "sample"),
        "neighbours": _neighbours(response),
    }
    return render(request, "scoring/response_detail.html", context)


def _metrics(score: Score | None) -> list[dict[str, Any]]:
    """Lay each metric out: those that count first, each with its label, band, value and evidence."""
    if score is None:
        return []
    rows = []
    for name, detail in score.details.items():
        module = registry.plugins(handbook.METRICS).get(name)
        value = score.values.get(name)
        band = handbook.band(module, value) if module else ""
        rows.append(
            {
                "name": name,
                "label": registry.label(module) if module else name,
                "value": value,
                "band": band,
                **detail,
            }
        )
    return sorted(rows, key=lambda row: -row["weight"])


def _spans(metrics: list[dict[str, Any]], wanted: str) -> list[list[Any]]:
    """Collect the spans of one metric, or of all that count."""
    return [
        span
        for metric in metrics
        if (metric["name"] == wanted if wanted else metric["weight"])
        for span in metric["spans"]
    ]


def _neighbours(response: Response) -> dict[str, Response | None]:
    others = Response.objects.filter(run=response.run_id).only("pk", "run_id", "position")
    return {
        "before": others.filter(position__lt=response.position).order_by("-position").first(),
        "after": others.filter(position__gt=response.position).order_by("position").first(),
    }
