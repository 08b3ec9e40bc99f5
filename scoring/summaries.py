"""What cases scored goes in; counts, means and pass rates by benchmark, category or difficulty come out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil, floor, fsum
from typing import Literal, NamedTuple

from scoring import ordering
from scoring.phases import reaches

Grouping = Literal["benchmark", "category", "difficulty"]

_BINS = 10
_SLACK = 1e-9


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


def histogram(outcomes: Iterable[Outcome]) -> list[dict[str, float]]:
    """Count the scores in ten bins from 0 to 1, or from below to above where scores lie outside.

    A score on an edge belongs to the bin that begins there; the last bin has both its edges.

    >>> histogram([Outcome("B1", "", "", score) for score in (0.05, 0.3, 0.31, 1.0)])[3]
    {'low': 0.3, 'high': 0.4, 'count': 2}
    """
    scores = [one.overall for one in outcomes if one.overall is not None and not one.pending]
    if not scores:
        return []
    low, high = min(0, floor(min(scores))), max(1, ceil(max(scores)))
    width = (high - low) / _BINS
    counts = Counter(min(int((score - low) / width + _SLACK), _BINS - 1) for score in scores)
    edges = [round(low + place * width, 6) for place in range(_BINS + 1)]
    return [{"low": edges[i], "high": edges[i + 1], "count": counts[i]} for i in range(_BINS)]


def _mean(scores: Sequence[float]) -> float | None:
    return fsum(scores) / len(scores) if scores else None


def _order(outcome: Outcome, grouping: Grouping) -> tuple[int | str, ...]:
    if grouping == "difficulty":
        return ordering.difficulty(outcome.difficulty)
    # Categories stand in the order of their first benchmarks. B10 comes after B9.
    return (ordering.natural(outcome.benchmark),)
