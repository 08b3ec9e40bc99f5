"""A run that has its scores goes in; the summary that pages show of it, kept with it, comes out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import connection
from django.db.models import Count, Q

from scoring import benchmarks, endings, phases, registry, scorings, summaries
from scoring.models import Run, Score, Scoring
from scoring.rgb import abilities
from scoring.summaries import Outcome

_PER_CENT = 100.0


def summarise(run: Run) -> dict[str, Any]:
    """Sum up what a run's answers came to, what they took and what went wrong, as JSON can carry it."""
    scoring = scorings.newest(run)
    limit = phases.threshold(run.phase, run.threshold)
    outcomes = list(_outcomes(scoring)) if scoring else []
    whole = summaries.summarise(outcomes, limit)
    summary = {
        "scoring": scoring.number if scoring else None,
        "threshold": limit,
        "overall": whole._asdict(),
        "mean_over_benchmarks": summaries.mean_over_benchmarks(outcomes),
        "by_benchmark": _named(run, _groups(outcomes, "benchmark", limit)),
        "by_category": _groups(outcomes, "category", limit),
        "by_difficulty": _groups(outcomes, "difficulty", limit),
        "histogram": summaries.histogram(outcomes),
        "fabricated": Score.objects.filter(scoring=scoring, fabricated=True).count() if scoring else 0,
        "metrics": _metrics(scoring) if scoring else {},
        "answers": _answers(run),
        "verdicts": _verdicts(run),
        "errors": _errors(run),
    }
    return summary | ({"rgb": _rgb(scoring)} if scoring and run.version.dataset.suite == "rgb" else {})


def _outcomes(scoring: Scoring) -> Iterable[Outcome]:
    fields = ("benchmark", "category", "difficulty")
    rows = scoring.scores.order_by("response_id").values_list(
        *(f"response__case__{field}" for field in fields), "overall", "pending"
    )
    return (Outcome(*row) for row in rows.iterator(chunk_size=5000))


def _groups(outcomes: list[Outcome], grouping: summaries.Grouping, limit: float) -> dict[str, Any]:
    return {name: group._asdict() for name, group in summaries.by(outcomes, grouping, limit).items()}


def _named(run: Run, groups: dict[str, Any]) -> dict[str, Any]:
    known = benchmarks.known(run.version.dataset.suite)
    return {
        code: group | {"name": known[code].name, "route": known[code].route} if code in known else group
        for code, group in groups.items()
    }


def _metrics(scoring: Scoring) -> dict[str, Any]:
    """Take each metric's mean over the answers where it is defined, and count the others."""
    with connection.cursor() as cursor:
        cursor.execute(_METRICS, [scoring.pk])
        rows = cursor.fetchall()
    return {
        name: {"mean": mean, "least": least, "most": most, "count": count, "undefined": undefined}
        for name, mean, least, most, count, undefined in rows
        if name in registry.plugins("scoring.metrics")
    }


def _answers(run: Run) -> dict[str, Any]:
    """Count the answers, and say what they took."""
    with connection.cursor() as cursor:
        cursor.execute(_ANSWERS, [list(endings.AT_THE_LIMIT), run.pk])
        names = [column.name for column in cursor.description or ()]
        row = cursor.fetchone() or ()
    found = dict(zip(names, row, strict=True))
    found["latency"] = dict(zip(("p50", "p90", "p99"), found.pop("latencies") or (None,) * 3, strict=True))
    return found


def _verdicts(run: Run) -> dict[str, int]:
    """Count what the judge was asked."""
    return run.verdicts.aggregate(
        wanted=Count("pk"),
        done=Count("pk", filter=Q(state="done")),
        failed=Count("pk", filter=Q(state="failed")),
    )


def _errors(run: Run) -> dict[str, dict[str, int]]:
    """Count what failed by the kind of error, answers and verdicts apart."""
    return {
        name: dict(
            rows.filter(state="failed").order_by().values_list("error_kind").annotate(count=Count("id"))
        )
        for name, rows in (("responses", run.responses), ("verdicts", run.verdicts))
    }


def _rgb(scoring: Scoring) -> dict[str, Any]:
    """Give the four rates of RGB in per cent, 0 where nothing was asked, and the accuracy by noise."""
    with connection.cursor() as cursor:
        cursor.execute(_RGB, [scoring.pk])
        rows = cursor.fetchall()
    sums: dict[tuple[str, int], tuple[float, ...]] = {
        (code, noise): tuple(rest) for code, noise, *rest in rows
    }
    curve = {
        str(noise): _PER_CENT * correct / count
        for (code, noise), (count, correct, *_) in sorted(sums.items())
        if code == abilities.NOISE and noise < _PER_CENT
    }
    planted = _total(sums, abilities.COUNTERFACTUAL)
    return {
        "accuracy": _rate(_total(sums, abilities.NOISE, refusals=False), 1),
        "accuracy_by_noise": curve,
        "rejection_rate": _rate(_rejections(sums), 2),
        "integration_accuracy": _rate(_total(sums, abilities.INTEGRATION), 1),
        "error_detection_rate": _rate(planted, 3),
        "error_correction_rate": _rate(planted, 4),
        "correction_rate_when_detected": _PER_CENT * planted[5] / planted[3] if planted[3] else None,
    }


def _total(
    sums: Mapping[tuple[str, int], tuple[float, ...]], wanted: str, *, refusals: bool = True
) -> list[float]:
    chosen = [
        row for (code, noise), row in sums.items() if code == wanted and (refusals or noise < _PER_CENT)
    ]
    return [sum(column) for column in zip(*chosen, strict=True)] or [0.0] * 6


def _rejections(sums: Mapping[tuple[str, int], tuple[float, ...]]) -> list[float]:
    """Join the questions of rejection with those of noise robustness that were asked at full noise."""
    chosen = [
        row
        for (code, noise), row in sums.items()
        if code == abilities.REJECTION or (code == abilities.NOISE and noise >= _PER_CENT)
    ]
    return [sum(column) for column in zip(*chosen, strict=True)] or [0.0] * 6


def _rate(totals: list[float], column: int) -> float:
    return _PER_CENT * totals[column] / totals[0] if totals[0] else 0.0


_METRICS = """
SELECT pair.key, avg(pair.value::float8), min(pair.value::float8), max(pair.value::float8),
    count(pair.value), count(*) - count(pair.value)
FROM scoring_score AS s
CROSS JOIN LATERAL jsonb_each_text(s.values) AS pair
WHERE s.scoring_id = %s
GROUP BY pair.key ORDER BY pair.key
"""

_ANSWERS = """
SELECT count(*) AS wanted,
    count(*) FILTER (WHERE state = 'done') AS done,
    count(*) FILTER (WHERE state = 'failed') AS failed,
    count(*) FILTER (WHERE from_cache) AS from_cache,
    count(*) FILTER (WHERE truncated) AS truncated,
    count(*) FILTER (WHERE state = 'done' AND lower(finish_reason) = ANY(%s)) AS at_limit,
    coalesce(sum(prompt_tokens), 0)::bigint AS prompt_tokens,
    coalesce(sum(completion_tokens), 0)::bigint AS completion_tokens,
    percentile_cont(ARRAY[0.5, 0.9, 0.99]) WITHIN GROUP (ORDER BY latency_seconds)
        FILTER (WHERE state = 'done' AND NOT from_cache) AS latencies
FROM scoring_response WHERE run_id = %s
"""

_RGB = """
SELECT c.benchmark, r.noise, count(*)::float8,
    coalesce(sum((s.values->>'answer_correctness')::float8), 0),
    coalesce(sum((s.values->>'rejection')::float8), 0),
    coalesce(sum((s.values->>'error_detection')::float8), 0),
    coalesce(sum((s.values->>'error_correction')::float8), 0),
    coalesce(sum((s.values->>'error_detection')::float8 * (s.values->>'error_correction')::float8), 0)
FROM scoring_score AS s
JOIN scoring_response AS r ON r.id = s.response_id
JOIN scoring_case AS c ON c.id = r.case_id
WHERE s.scoring_id = %s GROUP BY 1, 2
"""
