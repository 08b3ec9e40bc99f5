"""A run goes in; how far each of its stages is, how fast, and what went wrong comes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models import Count, DurationField, ExpressionWrapper, Min, Q, Sum
from django.db.models.functions import Now

from scoring.models import Response, Run, Verdict

RECENT = timedelta(seconds=60)


@dataclass(frozen=True)
class Stage:
    """One stage: how many of how many are through, how many failed, how many a second, how long still."""

    name: str
    done: int
    failed: int
    total: int
    rate: float
    seconds_left: float | None

    @property
    def through(self) -> int:
        return self.done + self.failed

    @property
    def complete(self) -> bool:
        return self.total > 0 and self.through >= self.total


def stages(run: Run) -> list[Stage]:
    """Say how far answers, verdicts and scores are; of a run that has its scores, as its summary says."""
    if _summed_up(run):
        return _kept(run.summary)
    answers = _asked("Answers", Response.objects.filter(run=run))
    verdicts = _asked("Verdicts", Verdict.objects.filter(run=run))
    scored = _scored(run)
    scores = Stage("Scores", scored, 0, answers.total - answers.failed, 0.0, None)
    return [answers, *([verdicts] if verdicts.total else []), scores]


def errors(run: Run) -> list[dict[str, object]]:
    """Group the failures by kind, the commonest first, each with one message as an example."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT error_kind, count(*), min(error) FROM scoring_response"
            " WHERE run_id = %s AND state = 'failed' GROUP BY error_kind ORDER BY count(*) DESC",
            [run.pk],
        )
        return [{"kind": kind, "count": count, "example": example} for kind, count, example in cursor]


def speed(run: Run) -> dict[str, float | int | None]:
    """Take percentiles of the latency of the latest answers, or of all once there are, and sum up tokens."""
    if _summed_up(run):
        answers = run.summary["answers"]
        tokens = {"sent": answers["prompt_tokens"], "received": answers["completion_tokens"]}
        return {**answers["latency"], **tokens, "cached": answers["from_cache"]}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT percentile_cont(ARRAY[0.5, 0.9, 0.99]) WITHIN GROUP (ORDER BY latency_seconds) FROM ("
            " SELECT latency_seconds FROM scoring_response WHERE run_id = %s AND state = 'done'"
            " AND NOT from_cache ORDER BY position DESC LIMIT 2000) latest",
            [run.pk],
        )
        p50, p90, p99 = cursor.fetchone()[0] or (None, None, None)
    counted = Response.objects.filter(run=run).aggregate(
        sent=Sum("prompt_tokens"),
        received=Sum("completion_tokens"),
        cached=Count("pk", filter=Q(from_cache=True)),
    )
    return {"p50": p50, "p90": p90, "p99": p99, **counted}


def _summed_up(run: Run) -> bool:
    """Say whether a run has its scores, so that its rows need not be counted for every visitor."""
    return run.state in {Run.State.AWAITING_REVIEW, Run.State.FINAL} and "verdicts" in run.summary


def _kept(summary: Mapping[str, Any]) -> list[Stage]:
    answers, verdicts = (
        Stage(name, counts["done"], counts["failed"], counts["wanted"], 0.0, None)
        for name, counts in (("Answers", summary["answers"]), ("Verdicts", summary["verdicts"]))
    )
    scores = Stage("Scores", summary["overall"]["cases"], 0, answers.total - answers.failed, 0.0, None)
    return [answers, *([verdicts] if verdicts.total else []), scores]


def _asked(name: str, rows: object) -> Stage:
    lately = Q(state="done", answered_at__gte=Now() - RECENT)
    counts = rows.aggregate(  # type: ignore[attr-defined]
        total=Count("pk"),
        done=Count("pk", filter=Q(state="done")),
        failed=Count("pk", filter=Q(state="failed")),
        lately=Count("pk", filter=lately),
        since=ExpressionWrapper(Now() - Min("answered_at", filter=lately), DurationField()),
    )
    # A run that has just begun is not slower than one under way for long.
    seconds = max(1.0, (counts.pop("since") or RECENT).total_seconds())
    rate = counts.pop("lately") / seconds
    left = counts["total"] - counts["done"] - counts["failed"]
    return Stage(name, rate=rate, seconds_left=left / rate if rate and left else None, **counts)


def _scored(run: Run) -> int:
    scoring = run.scorings.order_by("-number").first()
    return scoring.scores.count() if scoring else 0
