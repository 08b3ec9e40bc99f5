"""A run goes in; how far each of its stages is, how fast, and what went wrong comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models import Count, DurationField, ExpressionWrapper, Min, Q, Sum
from django.db.models.functions import Now

from scoring.engine import workers
from scoring.models import Response, Run, Verdict

RECENT = timedelta(seconds=60)
# The queues that a run needs, and what stands still while nobody listens on them.
_STANDS_STILL = {
    "inference": "the model is not asked",
    "judging": "the judge is not asked",
    "scoring": "nothing is scored",
    "default": "nobody looks for work that was lost",
}


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

    @property
    def quarters(self) -> int:
        return 25 * (4 * self.through // self.total) if self.total else 0


@dataclass(frozen=True)
class Trouble:
    """Answers or verdicts with the same fault: given up, or waiting until they may be asked again."""

    what: str
    failed: bool
    kind: str
    count: int
    example: str
    seconds_left: float | None


def stages(run: Run) -> list[Stage]:
    """Say how far answers, verdicts and scores are; of a run that has its scores, as its summary says."""
    if _summed_up(run):
        return _kept(run.summary)
    answers = _asked("Answers", Response.objects.filter(run=run))
    verdicts = _asked("Verdicts", Verdict.objects.filter(run=run))
    scored = _scored(run)
    scores = Stage("Scores", scored, 0, answers.total - answers.failed, 0.0, None)
    return [answers, *([verdicts] if verdicts.total else []), scores]


def troubles(run: Run) -> list[Trouble]:
    """Group what failed, and what waits for another try, by kind; what failed first, the commonest first."""
    with connection.cursor() as cursor:
        cursor.execute(_TROUBLES, {"run": run.pk})
        found = [Trouble(*row) for row in cursor.fetchall()]
    going_on = run.under_way or run.state == Run.State.PAUSED
    return [one for one in found if one.failed or going_on]


def unheard(run: Run) -> list[str]:
    """List the queues that a run needs and that nobody listens on, each with what stands still by it."""
    needed = [queue for queue in _STANDS_STILL if queue != "judging" or run.judge_id]
    return [f"{queue} ({_STANDS_STILL[queue]})" for queue in workers.silent_queues(needed)]


def news(run: Run, staged: Sequence[Stage], silent: Sequence[str]) -> str:
    """Say how a run stands; the words change with its state, every quarter, and when workers come or go."""
    behind = next((stage for stage in staged if stage.total and not stage.complete), None)
    said = [f"The run is {run.get_state_display().lower()}."]
    if behind and run.under_way:
        said.append(f"{behind.name}: {behind.quarters} % through.")
    if silent:
        said.append(f"No worker is listening on {', '.join(silent)}.")
    return " ".join([*said, run.reason] if run.reason else said)


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
    # A run that has just begun is not slower than one under way for long. Its first answer begins the time.
    seconds = max(1.0, (counts.pop("since") or RECENT).total_seconds())
    rate = max(0, counts.pop("lately") - 1) / seconds
    left = counts["total"] - counts["done"] - counts["failed"]
    return Stage(name, rate=rate, seconds_left=left / rate if rate and left else None, **counts)


def _scored(run: Run) -> int:
    scoring = run.scorings.order_by("-number").first()
    return scoring.scores.count() if scoring else 0


# Rows are asked in this order, so those that were asked before stand first: no need to look at all that wait.
_TROUBLES = """
SELECT what, state = 'failed', error_kind, count(*), min(error),
    greatest(0, extract(epoch FROM min(not_before) - now()))::float8
FROM (
    SELECT 'answer' AS what, state, error_kind, error, not_before FROM scoring_response
    WHERE run_id = %(run)s AND state = 'failed'
    UNION ALL
    (SELECT 'answer', state, error_kind, error, not_before FROM scoring_response
     WHERE run_id = %(run)s AND state = 'waiting' ORDER BY position LIMIT 20000)
    UNION ALL
    SELECT 'verdict', state, error_kind, error, not_before FROM scoring_verdict
    WHERE run_id = %(run)s AND state = 'failed'
    UNION ALL
    (SELECT 'verdict', state, error_kind, error, not_before FROM scoring_verdict
     WHERE run_id = %(run)s AND state = 'waiting' ORDER BY id LIMIT 20000)
) AS troubled
WHERE state = 'failed' OR error_kind <> ''
GROUP BY 1, 2, 3 ORDER BY 2 DESC, 4 DESC, 3
"""
