"""A run goes in; its newest scoring, and what that has not scored yet, come out."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from scoring import registry
from scoring.models import Response, Run, Score, Scoring


def newest(run: Run) -> Scoring | None:
    """Find the scoring that counts."""
    return run.scorings.order_by("-number").first()


def current(run: Run) -> Scoring:
    """Find the scoring that counts, or open the first."""
    return newest(run) or open_another(run)


def open_another(run: Run) -> Scoring:
    """Open a scoring by the metrics as they are now; those of before stay."""
    last = newest(run)
    versions = {name: metric.VERSION for name, metric in registry.plugins("scoring.metrics").items()}
    scoring, _ = run.scorings.get_or_create(
        number=last.number + 1 if last else 1, defaults={"metric_versions": versions}
    )
    return scoring


def close(run: Run) -> None:
    """Take note that all is scored."""
    Scoring.objects.filter(run=run, finished_at=None).update(finished_at=Now())


def unscored(run: Run) -> QuerySet[Response]:
    """Keep the answers that the newest scoring has not scored yet."""
    scored = Score.objects.filter(scoring=newest(run), response=OuterRef("pk"))
    return run.responses.filter(~Exists(scored), state=Response.State.DONE)


def carry_over(before: Scoring, after: Scoring, changed: Sequence[int]) -> int:
    """Take the scores of answers that have not changed over to a new scoring by the same metrics."""
    if before.metric_versions != after.metric_versions:
        return 0
    with connection.cursor() as cursor:
        cursor.execute(_CARRY_OVER, [after.pk, before.pk, list(changed)])
        return int(cursor.rowcount)


_CARRY_OVER = """
INSERT INTO scoring_score (
    scoring_id, response_id, overall, machine_overall, passed, pending, fabricated, flags, "values", details
)
SELECT %s, response_id, overall, machine_overall, passed, pending, fabricated, flags, "values", details
FROM scoring_score WHERE scoring_id = %s AND response_id <> ALL(%s::bigint[])
ON CONFLICT (scoring_id, response_id) DO NOTHING
"""
