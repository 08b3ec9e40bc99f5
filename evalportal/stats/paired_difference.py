"""Paired difference of two runs.

By how much the second run scores above the first on the cases that both have scored, and how far that may be
off. Both were asked the same questions, so what makes a question hard cancels out.

Formula: the mean of second - first over the common cases, with the interval of a mean (Student's t, with
clusters as there, or by bootstrap); p is the two-sided tail of t = mean / standard error, and is below 0.05
exactly where the interval of 95 % excludes 0.

None: there is no common case. No interval and no p: one common case, one cluster, or all differences equal.

Student's (1908) extra hours of sleep with two drugs, ten patients: t = 4.06, p = 0.0028.

>>> first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
>>> second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
>>> found = measure(first, second)
>>> round(found.difference.value, 2), round(found.difference.low, 2), round(found.p_value, 4)
(1.58, 0.7, 0.0028)
>>> measure([0.5, None], [None, 0.5]).difference.reason
'The runs have no scored case in common.'
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from evalportal.stats import mean_interval
from evalportal.stats.mean_interval import Array, Clusters, Scores
from reviews.stats import t_distribution
from reviews.stats.bootstrap_interval import RESAMPLES
from scoring.statistic import Statistic

NOTHING_COMMON = "The runs have no scored case in common."
_REASONS = {
    mean_interval.NO_SCORES: NOTHING_COMMON,
    mean_interval.ONE_SCORE: "One common case does not say how far the difference may be off.",
    mean_interval.ALL_EQUAL: "All differences are equal, so they do not say how far their mean may be off.",
}


class PairedDifference(NamedTuple):
    """Second - first; `left_out` counts the cases that only one of the two has scored."""

    difference: Statistic
    p_value: float | None
    left_out: int


def measure(
    first: Scores, second: Scores, *, clusters: Clusters | None = None, level: float = 0.95
) -> PairedDifference:
    """Compare two runs, whose scores stand in the same order of cases; None is a case without a score."""
    apart, left_out = _apart(first, second)
    found = mean_interval.measure(apart, clusters=clusters, level=level)
    values, place = mean_interval.known(apart, clusters)
    if found.margin is None or found.value is None:
        return PairedDifference(_said(found), None, left_out)
    spread = mean_interval.of_mean(values, place)
    p_value = float(t_distribution.tail(found.value / spread.error, spread.df))
    return PairedDifference(found, p_value, left_out)


def by_bootstrap(
    first: Scores,
    second: Scores,
    *,
    clusters: Clusters | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Statistic:
    """Compare two runs by drawing whole clusters again, where differences are far from normal."""
    apart, _ = _apart(first, second)
    return _said(mean_interval.by_bootstrap(apart, clusters=clusters, seed=seed, resamples=resamples))


def _apart(first: Scores, second: Scores) -> tuple[Array, int]:
    one, other = mean_interval.floats(first), mean_interval.floats(second)
    if len(one) != len(other):
        raise ValueError(f"{len(one)} scores cannot be paired with {len(other)}.")
    return other - one, int((np.isnan(one) != np.isnan(other)).sum())


def _said(found: Statistic) -> Statistic:
    return replace(found, reason=_REASONS.get(found.reason, found.reason))
