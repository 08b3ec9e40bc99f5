"""Corrected mean of judged answers.

What people would give all answers on average, from a judge's score of every answer and people's of some.
People see every verdict that the judge is not sure of and a random share of the others, so those they see
are no random sample: each counts for as many answers as it stands for.

Formula: the mean of j + (y - j) · seen/π over all answers, with j the judge's score, y the person's and π the
stored probability of being seen. With π the exact share of each stratum h, that is Σ W_h (j_h + d_h), of the
stratum's share W_h of all answers, the judge's mean j_h, and the mean d_h of y - j over those seen. Answers
drawn but not yet validated are missing: the others of their stratum stand for them, and `reason` says so; a
stratum without any validation makes the estimate wait.

Variance: S²_y/N + Σ W_h² (1/m_h - 1/N_h) S²_d,h, with m_h of N_h seen. The first term is there because other
questions could have been asked (superpopulation, the default); `finite=True` leaves it out and speaks of
these answers alone. Student's t has Satterthwaite's degrees of freedom. With `tuned=True` the judge's scores
are multiplied by the λ in 0 to 1 that makes the second term least: a poor judge then does no harm.
Neyman (1938), "Contribution to the theory of sampling human populations", on two phases; Angelopoulos and
others (2023), "Prediction-powered inference" and "PPI++"; Fisch and others (2024), "Stratified
prediction-powered inference for hybrid language model evaluation".

None: no answer was judged, or a stratum awaits its first validation. No interval: no stratum has two
validations; all validated scores are equal; or finite, with fewer than 20 validations in the strata that
people saw in part.

By hand: two answers that the judge was not sure of (0.75 and 0.5; people say 0.25 and 0.5), and four others
at 1, of which people saw two and gave 1 and 0.5. The judge's mean is 5.25/6 = 0.875. The correction is
((0.25 - 0.75) + 0 + (0 - 0.5) · 4/2) / 6 = -0.25.

>>> judge, person = [0.75, 0.5, 1, 1, 1, 1], [0.25, 0.5, 1, 0.5, None, None]
>>> found = measure(judge, person, [1, 1, 0.5, 0.5, 0.5, 0.5])
>>> round(found.value, 3), found.n
(0.625, 6)
>>> round(bias(judge, person, [1, 1, 0.5, 0.5, 0.5, 0.5]).value, 3)
0.25
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reviews.stats import t_distribution
from scoring.statistic import Statistic

Array = NDArray[np.float64]

FEWEST_FINITE = 20
ALL_EQUAL = "All validated scores are equal, so they do not say how far the estimate may be off."
_NOTHING = 1e-12  # Less than that is rounding.


class _Row(NamedTuple):
    judge: float | None
    person: float | None
    probability: float
    stratum: Hashable
    drawn: bool


class Stratum(NamedTuple):
    """Answers that were equally likely to be seen: all of the judge's scores, and the pairs of those seen."""

    name: Hashable
    scores: Array
    judge: Array
    person: Array
    drawn: int

    @property
    def size(self) -> int:
        """The number of answers."""
        return len(self.scores)

    @property
    def seen(self) -> int:
        """The number of answers that people have validated."""
        return len(self.person)


def measure(
    judge: Sequence[float | None],
    person: Sequence[float | None],
    probability: Sequence[float],
    *,
    strata: Sequence[Hashable] | None = None,
    drawn: Sequence[bool] | None = None,
    finite: bool = False,
    tuned: bool = False,
    level: float = 0.95,
) -> Statistic:
    """Estimate people's mean of all judged answers; what is not validated has None for a person.

    A verdict that cannot be read has None for a judge; people must then see it (probability 1). Without
    `strata`, answers of the same probability are one; without `drawn`, what has a person was drawn.
    """
    found = gather(judge, person, probability, strata=strata, drawn=drawn)
    return estimate(found, scale=tuning(found) if tuned else 1.0, finite=finite, level=level)


def bias(
    judge: Sequence[float | None],
    person: Sequence[float | None],
    probability: Sequence[float],
    *,
    strata: Sequence[Hashable] | None = None,
    drawn: Sequence[bool] | None = None,
    level: float = 0.95,
) -> Statistic:
    """Estimate how far the judge's mean lies above people's, over all answers that it could judge."""
    rows = [row for row in _rows(judge, person, probability, strata, drawn) if row.judge is not None]
    apart = [one._replace(person=one.judge - one.person) for one in _strata(rows)]
    return estimate(apart, scale=0.0, level=level)


def gather(
    judge: Sequence[float | None],
    person: Sequence[float | None],
    probability: Sequence[float],
    *,
    strata: Sequence[Hashable] | None = None,
    drawn: Sequence[bool] | None = None,
) -> list[Stratum]:
    """Sort answers into the strata that they were drawn from."""
    return _strata(_rows(judge, person, probability, strata, drawn))


def tuning(strata: Sequence[Stratum]) -> float:
    """Give the λ by which the judge's scores predict people's best; 1 where nothing can be said."""
    shared = unlike = 0.0
    for weight, one in zip(_weights(strata), strata, strict=True):
        if one.seen > 1:
            part = weight**2 * (1 / one.seen - 1 / one.size)
            (spread, together), _ = np.cov(one.judge, one.person)
            shared, unlike = shared + part * together, unlike + part * spread
    return min(max(shared / unlike, 0.0), 1.0) if unlike > 0 else 1.0


def estimate(
    strata: Sequence[Stratum], *, scale: float = 1.0, finite: bool = False, level: float = 0.95
) -> Statistic:
    """Estimate the mean from strata, with the judge's scores multiplied by `scale`."""
    n = sum(one.size for one in strata)
    if n == 0:
        return Statistic(None, reason="No answer was judged.")
    waiting = [one for one in strata if one.seen == 0]
    if waiting:
        return Statistic(None, n=n, reason=_waits(waiting))
    weights = _weights(strata)
    means = np.array([_mean(one, scale) for one in strata])
    value = float(weights @ means)
    reason = _why_no_interval(strata, finite)
    if reason:
        return Statistic(value, n=n, reason=reason)
    margin = margin_of(strata, scale=scale, finite=finite, level=level)
    if margin <= _NOTHING and not (finite and all(one.seen == one.size for one in strata)):
        return Statistic(value, n=n, reason=ALL_EQUAL)
    return Statistic(value, value - margin, value + margin, n, _stands_on(strata))


def margin_of(
    strata: Sequence[Stratum],
    *,
    seen: Sequence[int] | None = None,
    scale: float = 1.0,
    finite: bool = False,
    level: float = 0.95,
) -> float:
    """Give half the width of the interval, as it is or as it would be with so many of each stratum seen."""
    counts = [one.seen for one in strata] if seen is None else seen
    parts = _variances(strata, counts, scale)
    if not finite:
        parts.append(_of_questions(strata, counts, scale))
    known = [(part, freedom) for part, freedom in parts if part > 0]
    variance = sum(part for part, _ in known)
    if not variance:
        return 0.0
    df = variance**2 / sum(part**2 / freedom for part, freedom in known)
    return t_distribution.critical(level, df) * math.sqrt(variance)


def _variances(strata: Sequence[Stratum], seen: Sequence[int], scale: float) -> list[tuple[float, float]]:
    """Give what each stratum adds to the variance, with its degrees of freedom."""
    spreads = _spreads([one.person - scale * one.judge for one in strata])
    return [
        (float(weight**2 * (1 / count - 1 / one.size) * spread), max(count - 1, 1))
        for weight, one, count, spread in zip(_weights(strata), strata, seen, spreads, strict=True)
    ]


def _of_questions(strata: Sequence[Stratum], seen: Sequence[int], scale: float) -> tuple[float, float]:
    """Give what adds to the variance because other questions could have been asked."""
    weights = _weights(strata)
    means = np.array([_mean(one, scale) for one in strata])
    within = np.array(_spreads([one.person for one in strata]))
    total = float(weights @ (within + (means - weights @ means) ** 2))
    return total / sum(one.size for one in strata), max(sum(seen) - 1, 1)


def _rows(
    judge: Sequence[float | None],
    person: Sequence[float | None],
    probability: Sequence[float],
    strata: Sequence[Hashable] | None,
    drawn: Sequence[bool] | None,
) -> list[_Row]:
    names = [""] * len(judge) if strata is None else strata
    taken = [value is not None for value in person] if drawn is None else drawn
    rows = [_Row(*row) for row in zip(judge, person, probability, names, taken, strict=True)]
    for row in rows:
        _check(row)
    return rows


def _check(row: _Row) -> None:
    if not 0 < row.probability <= 1:
        raise ValueError(f"A probability of being seen lies above 0, up to 1, not {row.probability!r}.")
    if any(score is not None and not math.isfinite(score) for score in (row.judge, row.person)):
        raise ValueError("A score must be a finite number.")
    if row.judge is None and row.probability < 1:
        raise ValueError("An answer that the judge could not judge must be seen by people.")
    if row.person is not None and not row.drawn:
        raise ValueError("An answer that was not drawn cannot count as validated.")


def _strata(rows: Sequence[_Row]) -> list[Stratum]:
    groups: dict[Hashable, list[_Row]] = {}
    for row in rows:
        groups.setdefault((row.stratum, round(row.probability, 12)), []).append(row)
    return [_stratum(group) for group in groups.values()]


def _stratum(rows: Sequence[_Row]) -> Stratum:
    # Where people see everything, what the judge said cancels out: any number will do.
    judge = np.array([row.judge or 0.0 for row in rows])
    person = np.array([math.nan if row.person is None else row.person for row in rows])
    seen = ~np.isnan(person)
    return Stratum(rows[0].stratum, judge, judge[seen], person[seen], sum(row.drawn for row in rows))


def _weights(strata: Sequence[Stratum]) -> Array:
    sizes = np.array([one.size for one in strata], dtype=float)
    weights: Array = sizes / sizes.sum()
    return weights


def _mean(one: Stratum, scale: float) -> float:
    return float(scale * one.scores.mean() + (one.person - scale * one.judge).mean())


def _spreads(columns: Sequence[Array]) -> list[float]:
    """Give the variance of each column; one with a single value borrows that of all others."""
    squares = [float(((column - column.mean()) ** 2).sum()) for column in columns]
    freedom = sum(len(column) - 1 for column in columns)
    pooled = sum(squares) / freedom if freedom else 0.0
    return [
        square / (len(column) - 1) if len(column) > 1 else pooled
        for square, column in zip(squares, columns, strict=True)
    ]


def _why_no_interval(strata: Sequence[Stratum], finite: bool) -> str:
    if all(one.seen == 1 for one in strata):
        return "One validation in each stratum does not say how far the estimate may be off."
    seen = [one.seen for one in strata if one.seen < one.size]
    if finite and seen and sum(seen) < FEWEST_FINITE:
        return f"There are {sum(seen)} validations of answers drawn at random; this needs {FEWEST_FINITE}."
    return ""


def _waits(strata: Sequence[Stratum]) -> str:
    count = sum(one.drawn for one in strata)
    return f"It waits for people: none of {count} drawn answers of {len(strata)} strata is validated yet."


def _stands_on(strata: Sequence[Stratum]) -> str:
    seen, drawn = sum(one.seen for one in strata), sum(one.drawn for one in strata)
    return (
        "" if seen >= drawn else f"It stands on {seen} of {drawn} drawn answers; the others await validation."
    )
