"""One answer: what was asked and expected, what came, and why it scored what it scored."""

from __future__ import annotations

from math import fsum
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from evalportal.http import Request
from scoring import benchmarks, blindness, handbook, highlighting, phases, registry
from scoring.language.text import without_reasoning
from scoring.models import Response, Score, Verdict

# How servers call the end of an answer.
_ENDINGS = {
    "stop": "finished by itself",
    "eos": "finished by itself",
    "end_turn": "finished by itself",
    "length": "stopped at the token limit",
    "max_tokens": "stopped at the token limit",
    "content_filter": "stopped by the server's content filter",
}


@require_GET
def response_detail(request: Request, run_pk: int, pk: int) -> HttpResponse:
    """Show an answer with its evidence marked, and each metric with its value, weight and why."""
    found = Response.objects.select_related("run__version__dataset", "run__endpoint", "case__dataset")
    response = get_object_or_404(found, pk=pk, run=run_pk)
    blindness.check(request.user, response.run)
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
        "threshold": phases.threshold(response.run.phase, response.run.threshold),
        "metrics": metrics,
        "counted": [metric for metric in metrics if metric["weight"]],
        "metric": wanted,
        "stretches": highlighting.stretches(answer, _spans(metrics, wanted)),
        "reasoned": answer != response.content,
        "ended": _ended(response),
        "verdicts": [(verdict, _ended(verdict)) for verdict in response.verdicts.all()],
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
    return _shared_out(sorted(rows, key=lambda row: -row["weight"]))


def _shared_out(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Say how much of the overall each metric gives, and how much it could; unfold what gives less."""
    whole = fsum(row["weight"] for row in rows if row["value"] is not None)
    for row in rows:
        counts = bool(row["weight"]) and row["value"] is not None
        row["most"] = row["weight"] / whole if counts else None
        row["gives"] = row["value"] * row["most"] if counts else None
        row["unfolded"] = counts and row["value"] < 1
    return rows


def _ended(asked: Response | Verdict) -> str:
    """Say in words why a model stopped."""
    return _ENDINGS.get(asked.finish_reason, asked.finish_reason and f"ended by “{asked.finish_reason}”")


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
