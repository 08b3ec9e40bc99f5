"""Pass rate with an interval.

The share of cases that pass, and how far it may be off.

Formula: Wilson's interval. Where cases stand in clusters (a section, or a question at several noise levels)
they count for fewer: n is divided by how many times larger the clusters make the variance of the share, and
z becomes Student's t of the clusters' degrees of freedom. Where all pass, or none, nothing shows how alike
they are, and each cluster counts once. Dean and Pagano (2015), "Evaluating confidence interval methods for
binomial proportions in clustered surveys".

None: there are no cases. No interval: all cases share one cluster.

>>> found = measure([True] * 9 + [False])
>>> found.value, round(found.low, 3), round(found.high, 3)
(0.9, 0.596, 0.982)
>>> alike = measure([True] * 9 + [False] * 3, clusters=[1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4])
>>> alike.value, round(alike.low, 3), round(alike.high, 3)
(0.75, 0.131, 0.984)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evalportal.stats import mean_interval
from reviews.stats import t_distribution, wilson_interval
from scoring.statistic import Statistic


def measure(
    passed: Sequence[bool | None] | NDArray[np.bool_],
    *,
    clusters: mean_interval.Clusters | None = None,
    level: float = 0.95,
) -> Statistic:
    """Estimate the share of cases that pass, of which those that are None are left out."""
    outcomes, place = mean_interval.known(passed, clusters)
    if clusters is None or not len(outcomes):
        return wilson_interval.measure(int(outcomes.sum()), len(outcomes), level=level)
    share, sizes = float(outcomes.mean()), np.bincount(place).astype(float)
    if len(sizes) == 1:
        return Statistic(share, n=len(outcomes), reason=mean_interval.ONE_CLUSTER)
    error = mean_interval.of_mean(outcomes, place).error
    trials = min(share * (1 - share) / error**2, len(outcomes)) if error else len(sizes)
    t = t_distribution.critical(level, mean_interval.freedom(sizes))
    return Statistic(share, *wilson_interval.ends(share, trials, t), n=len(outcomes))
