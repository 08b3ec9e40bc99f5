"""A benchmark's name in any of its spellings goes in; its code, and the 21 of the methodology, come out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from scoring.rows import Benchmark

Route = Literal["tier1", "tier2", "tier3", "reasoning"]

CATEGORIES: Mapping[str, tuple[int, ...]] = {
    "Applicability & scope": (1,),
    "Compliance judgement": (2, 3),
    "Control relevance & interpretation": (4, 5, 6),
    "Gap analysis": (7, 8),
    "Risk reasoning": (9, 10, 11),
    "Audit perspective": (12, 13),
    "Remediation": (14, 15, 16),
    "Governance & stability (cross-cutting)": (17, 18, 19),
    "Grounding & safety (cross-cutting)": (20, 21),
}
NAMES = (
    "CCoP Applicability & Core Terminology",
    "Compliance Classification Accuracy",
    "Conditional Compliance Reasoning",
    "Scenario-to-Control Mapping",
    "Control Requirement Comprehension",
    "Control Intent Understanding",
    "Gap Identification Quality",
    "Gap Prioritisation",
    "Risk Identification Accuracy",
    "Risk Justification Coherence",
    "Risk Severity Assessment",
    "Audit Perspective Alignment",
    "Evidence Expectation Awareness",
    "Remediation Recommendation Quality",
    "Remediation Feasibility",
    "Residual Risk Awareness",
    "Policy vs Practice Distinction",
    "Responsibility Attribution (Singapore-Specific)",
    "Cross-Scenario Consistency",
    "Over-Specification Avoidance",
    "Regulatory Hallucination Rate",
)
ROUTES: Mapping[Route, tuple[int, ...]] = {
    "tier1": (1, 2, 21),
    "tier2": (7, 10, 14, 16),
    "tier3": (12, 13, 20),
    "reasoning": (3, 4, 5, 6, 8, 9, 11, 15, 17, 18, 19),
}
ROUTE_LABELS: Mapping[Route, str] = {
    "tier1": "Tier 1: labels and rules",
    "tier2": "Tier 2: rubric marks of people",
    "tier3": "Tier 3: judge, validated by people",
    "reasoning": "Reasoning: semantic equivalence and key facts",
}
LABEL_REQUIRED = frozenset({"B1", "B2"})
HALLUCINATION = "B21"

_SPELLING = re.compile(r"[Bb]([0-9]{1,2})(?:[\s_:.\-–—].*)?", re.DOTALL)


def table() -> dict[str, Benchmark]:
    """List the methodology's 21 benchmarks by code."""
    category = {number: name for name, numbers in CATEGORIES.items() for number in numbers}
    route = {number: name for name, numbers in ROUTES.items() for number in numbers}
    return {
        f"B{number}": Benchmark(f"B{number}", name, category[number], route[number])
        for number, name in enumerate(NAMES, 1)
    }


@lru_cache(maxsize=1024)
def code(text: str) -> str:
    """Read a benchmark's code from "B7", "b07" or "B7_Gap_Identification_Quality"; "" if there is none.

    >>> code("b07"), code("B7_Gap_Identification_Quality"), code("B100"), code("B0")
    ('B7', 'B7', '', '')
    """
    found = _SPELLING.fullmatch(text.strip())
    number = int(found[1]) if found else 0
    return f"B{number}" if number else ""


def route(benchmark: str) -> Route | None:
    """Tell the route of one of the methodology's benchmarks; None for any other.

    >>> route("B7"), route("B5"), route("B22")
    ('tier2', 'reasoning', None)
    """
    number = int(code(benchmark)[1:] or 0)
    return next((name for name, numbers in ROUTES.items() if number in numbers), None)
