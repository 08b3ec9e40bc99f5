"""Gwet's AC2.

How much any number of reviewers agree beyond chance, where chance is guessing on answers that are hard to
mark. Unlike kappa and alpha it stays high where nearly all marks are the same. With identity weights: AC1.

Formula: AC = (p_a - p_e) / (1 - p_e). p_a is the mean over answers with m ≥ 2 marks of
Σ_k m_k (m*_k - 1) / (m (m - 1)), where m*_k = Σ_l w_kl m_l counts the marks near k by their weights;
p_e = Σ w / (q(q - 1)) · Σ_k π_k (1 - π_k), with q the steps of the scale and π_k the mean share of k in an
answer's marks. w is 1 - (k - l)²/(q - 1)² (quadratic, the default, as for kappa), ordinal or identity.
Gwet (2008), "Computing inter-rater reliability and its variance in the presence of high agreement"; Gwet
(2014), "Handbook of inter-rater reliability", chapters 4 and 5.

None: no answer was marked by two reviewers. Unanimous marks give 1.

Interval: bootstrap over answers, with all criteria of an answer together.

Gwet's example of four raters and twelve subjects has AC1 = 0.77544.

>>> rows = zip(
...     [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
...     [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, None],
...     [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3],
...     [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
... )
>>> panel = panels.table(list(rows))
>>> round(measure(panel, weights="identity").value, 5), round(measure(panel).value, 5)
(0.77544, 0.914)
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from reviews.stats import bootstrap_interval
from reviews.stats import panel as panels
from reviews.stats.bootstrap_interval import RESAMPLES, Array, Quantity
from reviews.stats.percent_agreement import NO_PAIR
from scoring.statistic import Statistic

Weights = Literal["identity", "ordinal", "quadratic"]


def measure(
    panel: panels.Panel, *, weights: Weights = "quadratic", seed: int = 0, resamples: int = RESAMPLES
) -> Statistic:
    """Measure the agreement of a panel."""
    return bootstrap_interval.measure(quantity(panel, weights=weights), seed=seed, resamples=resamples)


def quantity(panel: panels.Panel, *, weights: Weights = "quadratic") -> Quantity:
    """Make what is resampled: of each answer, its agreement and how its marks are spread."""
    near = nearness(len(panel.scale), weights)
    return Quantity(
        _parts(panel.counts(), near) * panel.weights[:, None],
        lambda sums: _coefficient(sums, near),
        panel.in_common(),
        NO_PAIR,
        times=panel.times,
    )


def nearness(steps: int, weights: Weights) -> Array:
    """Say how near every two steps of a scale are, 1 for the same."""
    apart = np.abs(np.subtract.outer(np.arange(steps), np.arange(steps))).astype(float)
    far = {"identity": np.sign(apart), "ordinal": apart * (apart + 1) / 2, "quadratic": apart**2}[weights]
    nearness: Array = 1 - far / far.max()
    return nearness


def _parts(counts: Array, near: Array) -> Array:
    """Sum of each answer its agreement, the criteria compared, those marked, and the shares of the steps."""
    marks = counts.sum(axis=2)
    pairs = marks * (marks - 1)
    agreement = (counts * (counts @ near - 1)).sum(axis=2) / np.maximum(pairs, 1)
    shares = counts / np.maximum(marks, 1)[:, :, None]
    columns = [(agreement * (pairs > 0)).sum(axis=1), (pairs > 0).sum(axis=1), (marks > 0).sum(axis=1)]
    return np.column_stack([*columns, shares.sum(axis=1)])


def _coefficient(sums: Array, near: Array) -> Array:
    steps = len(near)
    agreement = bootstrap_interval.ratio(sums[..., 0], sums[..., 1])
    shares = bootstrap_interval.ratio(sums[..., 3:], np.repeat(sums[..., 2:3], steps, axis=-1))
    chance = near.sum() / (steps * (steps - 1)) * (shares * (1 - shares)).sum(axis=-1)
    coefficient: Array = (agreement - chance) / (1 - chance)
    return coefficient
