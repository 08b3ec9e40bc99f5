"""A case and its benchmark go in; the metrics that it takes, with the methodology's weights, come out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.aggregation import weighted_mean
from scoring.ccop import benchmarks, criteria
from scoring.rows import Benchmark

STANDARD: Mapping[str, float] = {
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


class UnknownMetricError(ValueError):
    """A metric that the methodology gives no weight; the message lists those it does."""


def weight(metric: str) -> float:
    """Give the methodology's weight of a metric.

    >>> weight("key_fact_recall"), weight("terminology_accuracy")
    (0.8, 0.9)
    """
    slot = SLOTS.get(metric, metric)
    if slot not in STANDARD:
        raise UnknownMetricError(
            f"There is no metric {metric!r}; there are: {', '.join([*STANDARD, *SLOTS])}."
        )
    return STANDARD[slot]


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
    names += ["terminology_accuracy"] if criteria.spellings(given, criteria.TERMS) else []
    names += ["classification_accuracy"] if _classifies(fields, given, benchmark) else []
    names += ["violation_detection"] if criteria.strings(given, criteria.VIOLATIONS) else []
    names += ["citation_accuracy"] if _cites(given) else []
    return {name: weight(name) for name in [*names, "concision"]}


def _classifies(fields: Mapping[str, Any], given: Mapping[str, Any], benchmark: Benchmark) -> bool:
    """Tell whether there is a label to score besides the one that accuracy scores already."""
    if criteria.strings(given, criteria.CLASSIFICATION):
        return True
    return benchmark.route != "tier1" and bool(fields.get("expected_label"))


def _cites(given: Mapping[str, Any]) -> bool:
    return given.get("citation_accuracy") is True or bool(criteria.strings(given, criteria.CITATIONS))
