"""Compared runs go in; what their answers took, and each metric's mean, on the same questions, come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db import connection

from evalportal import metric_differences
from evalportal.comparison import Comparison
from evalportal.stats.paired_difference import PairedDifference
from scoring import improvements, registry
from scoring.improvements import Improvement
from scoring.models import Run, Scoring

# As the CyberSecLLM metrics are tabled; other metrics follow by name.
_TABLED = (
    "coherence", "hallucination", "perplexity", "repetition", "prompt_copying", "semantic_richness",
    "combined",
)  # fmt: skip

_SIGNIFICANT = 0.05

# Of each metric the mean, and over how many answers.
Means = dict[str, tuple[float | None, int]]


class Speed(NamedTuple):
    """What the answers of one run took; answers from the cache took nothing, and are not timed."""

    run: Run
    timed: int
    p50: float | None
    p90: float | None
    p99: float | None
    prompt_tokens: float | None
    completion_tokens: float | None


class Change(NamedTuple):
    """One metric before and after, as the table shows it."""

    row: Improvement
    label: str
    direction: str
    percent: str
    old_count: int
    new_count: int
    apart: PairedDifference | None = None  # None: not tested

    @property
    def outcome(self) -> str:
        """Say in a word or two what the change comes to."""
        if self.row.old is None or self.row.new is None:
            return "not measured in both"
        if self.apart and self.apart.p_value is not None and self.apart.p_value >= _SIGNIFICANT:
            return "no difference shown"
        return {True: "better", False: "worse", None: "neither"}[self.row.better]


def speeds(found: Comparison, scorings: Sequence[Scoring]) -> list[Speed]:
    """Give the latency, and the mean tokens of an answer, of each run."""
    if _kept(found, scorings):
        return [_speed(run) for run in found.runs]
    with connection.cursor() as cursor:
        cursor.execute(_SPEEDS, [[run.pk for run in found.runs], *_questions(found)])
        rows = {run: values for run, *values in cursor.fetchall()}
    return [Speed(run, *rows.get(run.pk, (0, *[None] * 5))) for run in found.runs]


def changes(found: Comparison, scorings: Sequence[Scoring]) -> list[list[Change]]:
    """Table each run's metrics beside the first's: by how much each changed, and whether for the better."""
    base, *others = _all_means(found, scorings)
    apart = metric_differences.between(found, scorings)
    return [_changes(base, other, tested) for other, tested in zip(others, apart, strict=True)]


def _all_means(found: Comparison, scorings: Sequence[Scoring]) -> list[Means]:
    if _kept(found, scorings):
        return [_means(run) for run in found.runs]
    with connection.cursor() as cursor:
        cursor.execute(_METRICS, [[scoring.pk for scoring in scorings], *_questions(found)])
        rows = cursor.fetchall()
    means: dict[int, Means] = {scoring.pk: {} for scoring in scorings}
    for scoring, metric, mean, count in rows:
        means[scoring][metric] = (mean, count)
    return [means[scoring.pk] for scoring in scorings]


def _kept(found: Comparison, scorings: Sequence[Scoring]) -> bool:
    """Say whether the runs' own summaries are of the very answers that are compared."""
    numbers = [scoring.run.summary.get("scoring") for scoring in scorings]
    return found.whole and numbers == [scoring.number for scoring in scorings]


def _speed(run: Run) -> Speed:
    answers = run.summary["answers"]
    timed, done = answers["done"] - answers["from_cache"], answers["done"]
    tokens = [answers[name] / done if done else None for name in ("prompt_tokens", "completion_tokens")]
    return Speed(run, timed, *(answers["latency"][name] for name in ("p50", "p90", "p99")), *tokens)


def _means(run: Run) -> Means:
    return {name: (metric["mean"], metric["count"]) for name, metric in run.summary["metrics"].items()}


def _changes(old: Means, new: Means, tested: Mapping[str, PairedDifference]) -> list[Change]:
    known = registry.plugins(improvements.METRICS)
    names = [name for name in (*_TABLED, *sorted({*old, *new} - set(_TABLED))) if name in known]
    there = [name for name in names if old.get(name, (None, 0))[1] or new.get(name, (None, 0))[1]]
    before, after = ({name: side.get(name, (None, 0))[0] for name in there} for side in (old, new))
    return [
        Change(
            row,
            registry.label(known[row.metric]),
            known[row.metric].DIRECTION,
            improvements.percent(row.change),
            old.get(row.metric, (None, 0))[1],
            new.get(row.metric, (None, 0))[1],
            tested.get(row.metric),
        )
        for row in improvements.table(before, after)
    ]


def _questions(found: Comparison) -> list[Any]:
    return [found.aligned.cases.tolist(), sorted(set(found.aligned.noises.tolist()))]


_SPEEDS = """
SELECT run_id, count(latency_seconds) FILTER (WHERE NOT from_cache),
    percentile_cont(0.5) WITHIN GROUP (ORDER BY latency_seconds) FILTER (WHERE NOT from_cache),
    percentile_cont(0.9) WITHIN GROUP (ORDER BY latency_seconds) FILTER (WHERE NOT from_cache),
    percentile_cont(0.99) WITHIN GROUP (ORDER BY latency_seconds) FILTER (WHERE NOT from_cache),
    avg(prompt_tokens)::float8, avg(completion_tokens)::float8
FROM scoring_response
WHERE run_id = ANY(%s) AND state = 'done' AND case_id = ANY(%s) AND noise = ANY(%s)
GROUP BY run_id
"""

_METRICS = """
SELECT s.scoring_id, pair.key, avg(pair.value::float8), count(pair.value)
FROM scoring_score AS s
JOIN scoring_response AS a ON a.id = s.response_id
CROSS JOIN LATERAL jsonb_each_text(s.values) AS pair
WHERE s.scoring_id = ANY(%s) AND a.case_id = ANY(%s) AND a.noise = ANY(%s)
GROUP BY 1, 2
"""
