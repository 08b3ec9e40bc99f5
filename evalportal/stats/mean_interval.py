"""Mean with an interval.

What a run scores, and how far that may be off because it was asked these questions and not others.

Formula: mean ± t · s/√n, with Student's t of n - 1 degrees of freedom. Cases that share something (a section
of the Code; a question asked at several noise levels) resemble one another, so with clusters the variance is
Σ_g (Σ of the cluster's deviations)² / (1 - n_g/n) / n², which allows for few and uneven clusters, and t has
the degrees of freedom that the clusters' sizes leave: at most one less than there are clusters. Bell and
McCaffrey (2002), "Bias reduction in standard errors for linear regression with multi-stage samples"; Imbens
and Kolesár (2016), "Robust standard errors in small samples". Or by bootstrap, over clusters.

None: there are no scores. No interval: there is one score or one cluster, or all scores are equal, which says
nothing of the next one.

Student's (1908) extra hours of sleep of ten patients: 2.33 ± 1.43.

>>> hours = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
>>> found = measure(hours)
>>> round(found.value, 2), round(found.margin, 2)
(2.33, 1.43)
>>> round(measure(hours, clusters=[1, 1, 2, 2, 3, 3, 4, 4, 5, 5]).margin, 2)
1.78
>>> measure([0.75]).reason
'One score does not say how far it may be off.'
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reviews.stats import bootstrap_interval, t_distribution
from reviews.stats.bootstrap_interval import RESAMPLES, Quantity
from scoring.statistic import Statistic

Array = NDArray[np.float64]
Scores = Sequence[float | None] | Array | NDArray[np.bool_]
Clusters = Sequence[Hashable] | NDArray[Any]

NO_SCORES = "There are no scores."
ONE_SCORE = "One score does not say how far it may be off."
ONE_CLUSTER = "All scores share one cluster, so they do not say how far their mean may be off."
ALL_EQUAL = "All scores are equal, so they do not say how far their mean may be off."
ALL_ALIKE = "All clusters have the same mean, so they do not say how far it may be off."
_NOTHING = 1e-12  # Less than that is rounding.


class Spread(NamedTuple):
    """How far a mean may be off: its standard error and degrees of freedom, or why that is not known."""

    error: float
    df: float
    unknown: str = ""


def measure(values: Scores, *, clusters: Clusters | None = None, level: float = 0.95) -> Statistic:
    """Estimate the mean of scores, of which those that are None are left out."""
    scores, place = known(values, clusters)
    if not len(scores):
        return Statistic(None, reason=NO_SCORES)
    mean, spread = float(scores.mean()), of_mean(scores, place)
    if spread.unknown:
        return Statistic(mean, n=len(scores), reason=spread.unknown)
    margin = t_distribution.critical(level, spread.df) * spread.error
    return Statistic(mean, mean - margin, mean + margin, len(scores))


def by_bootstrap(
    values: Scores,
    *,
    clusters: Clusters | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Statistic:
    """Estimate the mean of scores by drawing whole clusters again, where scores are far from normal."""
    scores, place = known(values, clusters)
    groups = int(place.max()) + 1 if len(place) else 0
    sums = np.zeros((groups, 2))
    np.add.at(sums, place, np.column_stack([scores, np.ones(len(scores))]))
    quantity = Quantity(sums, _mean, groups, NO_SCORES)
    found = bootstrap_interval.measure(quantity, seed=seed, resamples=resamples)
    return Statistic(found.value, found.low, found.high, len(scores), found.reason)


def known(values: Scores, clusters: Clusters | None) -> tuple[Array, NDArray[np.intp]]:
    """Keep the scores that there are, and number their clusters; without clusters each is its own.

    In an array, which is read without looking at each score, what is NaN is not there.
    """
    scores = floats(values)
    if np.isinf(scores).any():
        raise ValueError("A score must be a finite number.")
    kept = ~np.isnan(scores)
    if clusters is None:
        return scores[kept], np.arange(kept.sum())
    if len(clusters) != len(scores):
        raise ValueError(f"{len(scores)} scores cannot have {len(clusters)} clusters.")
    return scores[kept], _numbered(clusters, kept)


def floats(values: Scores) -> Array:
    """Read scores as an array, in which what is not there is NaN."""
    if isinstance(values, np.ndarray):
        return values.astype(np.float64, copy=False)
    return np.array([math.nan if value is None else value for value in values], dtype=float)


def _numbered(clusters: Clusters, kept: NDArray[np.bool_]) -> NDArray[np.intp]:
    if isinstance(clusters, np.ndarray):
        return np.unique(clusters[kept], return_inverse=True)[1].astype(np.intp, copy=False)
    numbers: dict[Hashable, int] = {}
    names = [cluster for cluster, keep in zip(clusters, kept, strict=True) if keep]
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.intp)


def of_mean(values: Array, place: NDArray[np.intp]) -> Spread:
    """Give the standard error of a mean whose values stand in clusters numbered from 0."""
    n, sizes = len(values), np.bincount(place)
    if n == 0:
        return Spread(0.0, 0.0, NO_SCORES)
    if n == 1 or len(sizes) == 1:
        return Spread(0.0, 0.0, ONE_SCORE if n == 1 else ONE_CLUSTER)
    if np.ptp(values) <= _NOTHING:
        return Spread(0.0, 0.0, ALL_EQUAL)
    sums = np.bincount(place, values - values.mean())
    variance = float((sums**2 / (1 - sizes / n)).sum()) / n**2
    if variance <= _NOTHING**2:
        return Spread(0.0, 0.0, ALL_ALIKE)
    return Spread(math.sqrt(variance), freedom(sizes.astype(float)))


def freedom(sizes: Array) -> float:
    """Give the degrees of freedom that clusters of such sizes leave; n - 1 if every one holds one value."""
    n = sizes.sum()
    across = sizes**2 / (1 - sizes / n) / n**3
    return float(1 / n**2 / ((sizes / n**2) ** 2 + across * (across.sum() - across)).sum())


def _mean(sums: Array) -> Array:
    return bootstrap_interval.ratio(sums[..., 0], sums[..., 1])
