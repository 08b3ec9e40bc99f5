"""Krippendorff's alpha.

How much any number of reviewers agree beyond chance, also where some marks are missing. 1 is full
agreement, 0 what chance gives. Krippendorff asks for 0.8, and for 0.667 at the very least.

Formula: α = 1 - D_observed / D_expected. Each answer with m ≥ 2 marks adds its ordered pairs of marks, each
1/(m - 1), to the table of coincidences o, with margins n_c and total n. D_observed = Σ o_ck δ²_ck and
D_expected = Σ n_c n_k δ²_ck / (n - 1). δ² is 1 for different marks (nominal), (c - k)² (interval), or the
squared difference of the marks' middle ranks (ordinal, the default). Krippendorff (2011), "Computing
Krippendorff's alpha-reliability".

None: no answer was marked by two reviewers, or all marks that can be compared are the same: then nothing
shows that reviewers can tell answers apart.

Interval: bootstrap over answers, with all criteria of an answer together.

The example of Krippendorff (2011): four observers, twelve units, some values missing.

>>> rows = zip(
...     [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
...     [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
...     [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
...     [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
... )
>>> panel = panels.table(list(rows))
>>> [round(measure(panel, level=level).value, 3) for level in ("nominal", "ordinal", "interval")]
[0.743, 0.815, 0.849]
>>> measure(panels.table([[4, 4, 4], [4, 4, None]])).reason
'All marks are the same, so alpha is not defined.'
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from reviews.stats import bootstrap_interval
from reviews.stats import panel as panels
from reviews.stats.bootstrap_interval import RESAMPLES, Array, Quantity
from reviews.stats.percent_agreement import NO_PAIR
from scoring.statistic import Statistic

Level = Literal["nominal", "ordinal", "interval"]


def measure(
    panel: panels.Panel, *, level: Level = "ordinal", seed: int = 0, resamples: int = RESAMPLES
) -> Statistic:
    """Measure the agreement of a panel."""
    return bootstrap_interval.measure(quantity(panel, level=level), seed=seed, resamples=resamples)


def quantity(panel: panels.Panel, *, level: Level = "ordinal") -> Quantity:
    """Make what is resampled: of each answer, the table of coincidences (its half: it is symmetric)."""
    steps = len(panel.scale)
    upper = np.triu_indices(steps)
    n = panel.in_common()
    return Quantity(
        _coincidences(panel.counts())[:, upper[0], upper[1]] * panel.weights[:, None],
        lambda sums: _alpha(_whole(sums, steps), np.array(panel.scale), level),
        n,
        "All marks are the same, so alpha is not defined." if n else NO_PAIR,
        times=panel.times,
    )


def _coincidences(counts: Array) -> Array:
    marks = counts.sum(axis=2)
    pairs = counts[:, :, :, None] * counts[:, :, None, :] - counts[:, :, :, None] * np.eye(counts.shape[2])
    shares = np.where(marks >= 2, 1 / np.maximum(marks - 1, 1), 0.0)
    table: Array = np.einsum("acij,ac->aij", pairs, shares)
    return table


def _whole(sums: Array, steps: int) -> Array:
    table = np.zeros((*sums.shape[:-1], steps, steps))
    rows, columns = np.triu_indices(steps)
    table[..., rows, columns] = sums
    table[..., columns, rows] = sums
    return table


def _alpha(table: Array, scale: Array, level: Level) -> Array:
    margins = table.sum(axis=-1)
    total = margins.sum(axis=-1)
    apart = _distances(margins, scale, level)
    observed = (table * apart).sum(axis=(-2, -1)) * (total - 1)
    expected = (margins[..., :, None] * margins[..., None, :] * apart).sum(axis=(-2, -1))
    return 1 - bootstrap_interval.ratio(observed, expected)


def _distances(margins: Array, scale: Array, level: Level) -> Array:
    if level == "nominal":
        return 1 - np.eye(len(scale))
    places = scale if level == "interval" else np.cumsum(margins, axis=-1) - margins / 2
    apart: Array = (places[..., :, None] - places[..., None, :]) ** 2
    return apart
