"""Cohen's kappa.

How much two reviewers agree beyond chance, as each one's own marks are spread. 1 is full agreement, 0 what
chance gives, below 0 less than that.

Formula: κ = 1 - Σ v·observed / Σ v·expected over the table of the two reviewers' marks, where expected is
the product of the margins and v the disagreement of two steps i and j: 1 if they differ (unweighted),
|i - j| (linear) or (i - j)² (quadratic, the default). Cohen (1960), "A coefficient of agreement for nominal
scales"; Cohen (1968), "Weighted kappa".

None: the reviewers share no answer; there are not exactly two (alpha and AC2 take any number); or both gave
every answer the same mark, so that chance alone would agree fully.

Interval: bootstrap over answers, with all criteria of an answer together.

The example of Cohen (1960): two clinicians, 200 patients, three diagnoses.

>>> table = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
>>> rows = [(i, j) for i in range(3) for j in range(3) for _ in range(table[i][j])]
>>> kappa = measure(panels.table(rows, scale=(0, 1, 2)), weights="unweighted", seed=1)
>>> round(kappa.value, 3), round(kappa.low, 2), round(kappa.high, 2)
(0.492, 0.39, 0.59)
>>> measure(panels.table([[4, 4], [4, 4]])).reason
'Both gave every answer the same mark, so kappa is not defined.'
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from reviews.stats import bootstrap_interval
from reviews.stats import panel as panels
from reviews.stats.bootstrap_interval import RESAMPLES, Array, Quantity
from scoring.statistic import Statistic

Weights = Literal["unweighted", "linear", "quadratic"]


def measure(
    panel: panels.Panel, *, weights: Weights = "quadratic", seed: int = 0, resamples: int = RESAMPLES
) -> Statistic:
    """Measure the agreement of the two reviewers of a panel."""
    return bootstrap_interval.measure(quantity(panel, weights=weights), seed=seed, resamples=resamples)


def quantity(panel: panels.Panel, *, weights: Weights = "quadratic") -> Quantity:
    """Make what is resampled: of each answer, the table of the two reviewers' marks."""
    steps = len(panel.scale)
    if len(panel.reviewers) != 2:
        reason = f"Cohen's kappa compares two reviewers; there are {len(panel.reviewers)} here."
        return Quantity(np.zeros((len(panel.answers), 1)), _never, 0, reason, times=panel.times)
    n = panel.in_common()
    undefined = "Both gave every answer the same mark, so kappa is not defined."
    return Quantity(
        _tables(panel, steps) * panel.weights[:, None],
        lambda sums: _kappa(sums.reshape(*sums.shape[:-1], steps, steps), disagreement(steps, weights)),
        n,
        undefined if n else "The two reviewers marked no answer in common.",
        times=panel.times,
    )


def disagreement(steps: int, weights: Weights) -> Array:
    """Say how far apart every two steps of a scale are."""
    apart = np.abs(np.subtract.outer(np.arange(steps), np.arange(steps))).astype(float)
    power = {"unweighted": 0, "linear": 1, "quadratic": 2}[weights]
    return np.where(apart > 0, apart**power, 0.0)


def _never(sums: Array) -> Array:
    return np.full(sums.shape[:-1], np.nan)


def _tables(panel: panels.Panel, steps: int) -> Array:
    """Count of each answer how often the two gave which marks: answers x (steps of one · steps of other)."""
    one, other = panel.codes[:, :, 0].astype(int), panel.codes[:, :, 1].astype(int)
    cell = np.where((one >= 0) & (other >= 0), one * steps + other, panels.NOT_MARKED)
    tables: Array = (cell[:, :, None] == np.arange(steps * steps)).sum(axis=1).astype(float)
    return tables


def _kappa(tables: Array, apart: Array) -> Array:
    first, second = tables.sum(axis=-1), tables.sum(axis=-2)
    observed = (tables * apart).sum(axis=(-2, -1)) * tables.sum(axis=(-2, -1))
    expected = ((first @ apart) * second).sum(axis=-1)
    return 1 - bootstrap_interval.ratio(observed, expected)
