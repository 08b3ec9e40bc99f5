"""What cases scored goes in; counts, means and pass rates by benchmark, category or difficulty come out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import fsum
from typing import Literal, NamedTuple

from scoring.phases import reaches

Grouping = Literal["benchmark", "category", "difficulty"]

_DIFFICULTIES = ("Low", "Medium", "High", "Critical")
_DIGITS = re.compile(r"([0-9]+)")


class Outcome(NamedTuple):
    """What one case came to; `pending` says what it waits for, and is "" when it waits for nothing."""

    benchmark: str
    category: str
    difficulty: str
    overall: float | None
    pending: str = ""


class Summary(NamedTuple):
    """A group of cases: how many, how many of them scored and pending, and what those that scored came to."""

    cases: int
    scored: int
    pending: int
    mean: float | None
    passed: int
    pass_rate: float | None

    @property
    def not_scored(self) -> int:
        """Cases that wait for nothing, and have nothing to be scored by."""
        return self.cases - self.scored - self.pending


def summarise(outcomes: Iterable[Outcome], threshold: float) -> Summary:
    """Sum a group up; a case that is pending or not scored is in no mean.

    >>> summarise([Outcome("B1", "", "Low", 1.0), Outcome("B7", "", "Low", None, "awaiting review")], 0.15)
    Summary(cases=2, scored=1, pending=1, mean=1.0, passed=1, pass_rate=1.0)
    """
    group = list(outcomes)
    scores = [outcome.overall for outcome in group if outcome.overall is not None and not outcome.pending]
    passed = sum(reaches(score, threshold) for score in scores)
    return Summary(
        cases=len(group),
        scored=len(scores),
        pending=sum(bool(outcome.pending) for outcome in group),
        mean=_mean(scores),
        passed=passed,
        pass_rate=passed / len(scores) if scores else None,
    )


def by(outcomes: Iterable[Outcome], grouping: Grouping, threshold: float) -> dict[str, Summary]:
    """Sum every group up, in the order that people expect."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in sorted(outcomes, key=lambda outcome: _order(outcome, grouping)):
        groups.setdefault(getattr(outcome, grouping), []).append(outcome)
    return {name: summarise(group, threshold) for name, group in groups.items()}


def mean_over_benchmarks(outcomes: Iterable[Outcome]) -> float | None:
    """Take the mean of the benchmarks' means, in which a large benchmark weighs no more than a small one.

    >>> scores = [("B1", 1), ("B1", 1), ("B2", 0)]
    >>> mean_over_benchmarks([Outcome(code, "", "", score) for code, score in scores])
    0.5
    """
    means = (summary.mean for summary in by(outcomes, "benchmark", threshold=0.0).values())
    return _mean([mean for mean in means if mean is not None])


def _mean(scores: Sequence[float]) -> float | None:
    return fsum(scores) / len(scores) if scores else None


def _order(outcome: Outcome, grouping: Grouping) -> tuple[int | str, ...]:
    if grouping == "difficulty":
        known = outcome.difficulty in _DIFFICULTIES
        return (_DIFFICULTIES.index(outcome.difficulty) if known else len(_DIFFICULTIES), outcome.difficulty)
    # Categories stand in the order of their first benchmarks. B10 comes after B9.
    return tuple(int(part) if part.isdecimal() else part for part in _DIGITS.split(outcome.benchmark))
