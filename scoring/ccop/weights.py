"""A case and its benchmark go in; the metrics that it takes, with the methodology's weights, come out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.aggregation import weighted_mean
from scoring.ccop import benchmarks, criteria
from scoring.rows import Benchmark

STANDARD: dict[str, float] = {
    "accuracy": 1.0,
    "completeness": 0.8,
    "citation_accuracy": 1.0,
    "hallucination_resistance": 1.0,
    "terminology_accuracy": 0.9,
    "classification_accuracy": 1.0,
    "violation_detection": 1.0,
    "grounding": 1.0,
    "concision": 0.0,
}
# What stands for the methodology's accuracy and completeness here.
SLOTS: Mapping[str, str] = {
    "label_match": "accuracy",
    "semantic_equivalence": "accuracy",
    "rubric": "accuracy",
    "judge_rubric": "accuracy",
    "key_fact_recall": "completeness",
}
ACCURACY: Mapping[str, str] = {
    "tier1": "label_match",
    "tier2": "rubric",
    "tier3": "judge_rubric",
    "reasoning": "semantic_equivalence",
}


# The metrics that a case asks for by giving what they look for in its evaluation criteria.
_ASKED_FOR: Mapping[str, str] = {
    criteria.TERMS: "terminology_accuracy",
    criteria.CLASSIFICATION: "classification_accuracy",
    criteria.VIOLATIONS: "violation_detection",
    criteria.CITATIONS: "citation_accuracy",
}
_WEIGHTS = STANDARD | {metric: STANDARD[slot] for metric, slot in SLOTS.items()}


class UnknownMetricError(ValueError):
    """A metric that the methodology gives no weight; the message lists those it does."""


def weight(metric: str) -> float:
    """Give the methodology's weight of a metric.

    >>> weight("key_fact_recall"), weight("terminology_accuracy")
    (0.8, 0.9)
    """
    if metric not in _WEIGHTS:
        raise UnknownMetricError(f"There is no metric {metric!r}; there are: {', '.join(_WEIGHTS)}.")
    return _WEIGHTS[metric]


def overall_score(metrics: Mapping[str, float | None]) -> float | None:
    """Bring values together with the methodology's weights; None when nothing that counts is defined.

    >>> round(overall_score({"accuracy": 0.7, "completeness": 0.5, "grounding": 1.0}), 12)
    0.75
    """
    return weighted_mean(metrics, {metric: weight(metric) for metric in metrics})


def plan(fields: Mapping[str, Any], benchmark: Benchmark) -> dict[str, float]:
    """List the metrics of a case: its route's accuracy, completeness, safety, and what the case asks for."""
    given = fields.get("evaluation_criteria") or {}
    safety = "hallucination_resistance" if benchmark.code == benchmarks.HALLUCINATION else "grounding"
    names = [ACCURACY[benchmark.route], "key_fact_recall", safety]
    names += [metric for key, metric in _ASKED_FOR.items() if key in given and criteria.spellings(given, key)]
    # The label of a Tier 1 case is scored as its accuracy, and counts once.
    if benchmark.route != "tier1" and fields.get("expected_label") and "classification_accuracy" not in names:
        names.append("classification_accuracy")
    if given.get("citation_accuracy") is True and "citation_accuracy" not in names:
        names.append("citation_accuracy")
    return {name: _WEIGHTS[name] for name in [*names, "concision"]}
