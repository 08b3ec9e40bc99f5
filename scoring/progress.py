"""A run goes in; how far each of its stages is, how fast, and how long it will take, come out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connection

from scoring import scorings
from scoring.models import Run

# The rate is that of the last so many seconds.
_WINDOW_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Stage:
    """How far one stage is; `rate` is a second's, `seconds_left` None while it cannot be known."""

    wanted: int
    done: int
    failed: int
    asking: int = 0
    rate: float | None = None

    @property
    def left(self) -> int:
        return max(0, self.wanted - self.done - self.failed)

    @property
    def share(self) -> float:
        return 1 - self.left / self.wanted if self.wanted else 0.0

    @property
    def seconds_left(self) -> float | None:
        if not self.left:
            return 0.0
        return self.left / self.rate if self.rate else None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    answers: Stage
    verdicts: Stage
    scores: Stage
    errors: dict[str, int]
    prompt_tokens: int
    completion_tokens: int
    from_cache: int
    latencies: tuple[float, float, float] | None


def of(run: Run) -> Progress:
    """Count how far a run is now."""
    answers = _row(_ANSWERS, {"run": run.pk, "window": _WINDOW_SECONDS})
    votes = _row(_VERDICTS, {"run": run.pk, "window": _WINDOW_SECONDS})
    scoring = scorings.newest(run)
    scored = scoring.scores.count() if scoring else 0
    return Progress(
        answers=_stage(answers),
        verdicts=_stage(votes),
        scores=Stage(wanted=answers["wanted"] - answers["failed"], done=scored, failed=0),
        errors=_errors(run),
        prompt_tokens=answers["prompt_tokens"],
        completion_tokens=answers["completion_tokens"],
        from_cache=answers["from_cache"],
        latencies=tuple(answers["latencies"]) if answers["latencies"] else None,
    )


def _stage(row: dict[str, Any]) -> Stage:
    """Take the rate over the window, or over the time since the first answer if that is shorter."""
    seconds = min(_WINDOW_SECONDS, max(1.0, row["age"] or 0.0))
    rate = row["recent"] / seconds if row["recent"] else None
    return Stage(row["wanted"], row["done"], row["failed"], row["asking"], rate)


def _errors(run: Run) -> dict[str, int]:
    """Count the errors by kind: those that failed a case, and those that will be tried again."""
    with connection.cursor() as cursor:
        cursor.execute(_ERRORS, [run.pk, run.pk])
        return dict(cursor.fetchall())


def _row(query: str, arguments: dict[str, Any]) -> dict[str, Any]:
    with connection.cursor() as cursor:
        cursor.execute(query, arguments)
        names = [column.name for column in cursor.description or ()]
        return dict(zip(names, cursor.fetchone() or (), strict=True))


_ANSWERS = """
SELECT count(*) AS wanted,
    count(*) FILTER (WHERE state = 'done') AS done,
    count(*) FILTER (WHERE state = 'failed') AS failed,
    count(*) FILTER (WHERE state = 'asking') AS asking,
    count(*) FILTER (WHERE from_cache) AS from_cache,
    count(*) FILTER (WHERE answered_at > now() - make_interval(secs => %(window)s)) AS recent,
    extract(epoch FROM now() - min(answered_at))::float8 AS age,
    coalesce(sum(prompt_tokens), 0)::bigint AS prompt_tokens,
    coalesce(sum(completion_tokens), 0)::bigint AS completion_tokens,
    percentile_cont(ARRAY[0.5, 0.9, 0.99]) WITHIN GROUP (ORDER BY latency_seconds)
        FILTER (WHERE state = 'done' AND NOT from_cache) AS latencies
FROM scoring_response WHERE run_id = %(run)s
"""

_VERDICTS = """
SELECT count(*) AS wanted,
    count(*) FILTER (WHERE state = 'done') AS done,
    count(*) FILTER (WHERE state = 'failed') AS failed,
    count(*) FILTER (WHERE state = 'asking') AS asking,
    count(*) FILTER (WHERE answered_at > now() - make_interval(secs => %(window)s)) AS recent,
    extract(epoch FROM now() - min(answered_at))::float8 AS age
FROM scoring_verdict WHERE run_id = %(run)s
"""

_ERRORS = """
SELECT error_kind, count(*) FROM (
    SELECT error_kind FROM scoring_response WHERE run_id = %s AND error_kind <> ''
    UNION ALL SELECT error_kind FROM scoring_verdict WHERE run_id = %s AND error_kind <> ''
) AS errors GROUP BY 1 ORDER BY 2 DESC, 1
"""
