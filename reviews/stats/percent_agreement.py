"""Percent agreement.

How often two reviewers gave an answer the same mark, or marks at most one step apart.

Formula: over every answer, every criterion and every pair of reviewers who both marked it, the share of
pairs whose marks are equal (exact), or differ by at most one step of the scale (within one).

None: no answer was marked by two reviewers.

Weakness: reviewers who give everybody a 4 agree by chance. Read it beside kappa, alpha and AC2.

Interval: bootstrap over answers, because the pairs and criteria of one answer are not independent. Where
all pairs agree, or none, resampling cannot give one: then it is Wilson's, with the answers as trials.

Three reviewers, two answers: of the six pairs three are equal, and five at most a step apart.

>>> panel = panels.table([[4, 4, 4], [2, 3, 4]])
>>> exact(panel).value, round(within_one(panel).value, 3)
(0.5, 0.833)
>>> exact(panels.table([[5, 5]] * 12))
Statistic(value=1.0, low=0.7575059933447593, high=1.0, n=12, reason='')
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from reviews.stats import bootstrap_interval, wilson_interval
from reviews.stats import panel as panels
from reviews.stats.bootstrap_interval import RESAMPLES, Array, Quantity
from scoring.statistic import Statistic

NO_PAIR = "No answer was marked by two reviewers."


def exact(panel: panels.Panel, *, seed: int = 0, resamples: int = RESAMPLES) -> Statistic:
    """Measure how often two reviewers gave the same mark."""
    return bootstrap_interval.measure(quantity(panel), seed=seed, resamples=resamples)


def within_one(panel: panels.Panel, *, seed: int = 0, resamples: int = RESAMPLES) -> Statistic:
    """Measure how often two reviewers were at most one step apart."""
    return bootstrap_interval.measure(quantity(panel, steps=1), seed=seed, resamples=resamples)


def quantity(panel: panels.Panel, *, steps: int = 0) -> Quantity:
    """Make what is resampled: of each answer, the pairs of marks that agree and all pairs."""
    counts = panel.counts()
    marks = counts.sum(axis=2)
    pairs = marks * (marks - 1) / 2
    agreeing = (counts * (counts - 1)).sum(axis=2) / 2
    for step in range(1, min(steps, len(panel.scale) - 1) + 1):
        agreeing = agreeing + (counts[:, :, step:] * counts[:, :, :-step]).sum(axis=2)
    parts = np.stack([agreeing.sum(axis=1), pairs.sum(axis=1)], axis=1) * panel.weights[:, None]
    n = panel.in_common()
    return Quantity(parts, _share, n, NO_PAIR, _all_or_none(parts, n), panel.times)


def _share(sums: Array) -> Array:
    return bootstrap_interval.ratio(sums[..., 0], sums[..., 1])


def _all_or_none(parts: Array, n: int) -> Statistic | None:
    agreeing, pairs = parts.sum(axis=0)
    if n == 0 or 0 < agreeing < pairs:
        return None
    share = 1.0 if agreeing else 0.0
    return Statistic(share, *wilson_interval.ends(share, n, NormalDist().inv_cdf(0.975)), n=n)
