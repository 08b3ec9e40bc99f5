"""Length bias.

Whether the judge likes long answers better than people do: by how many points its mark gains on theirs when
an answer doubles in length.

Formula: the slope of judge - person on log₂(words), by least squares; 0 is no bias, above 0 the judge favours
length. What people think of long answers cancels out. Answers that were likelier to be drawn count less
(1 / inclusion probability).

None: fewer than two answers with words and both marks, or all of the same length.

Interval: bootstrap over answers.

Four answers of 50, 100, 200 and 400 words, on which the judge is 0, 0, 1 and 1 points above the person.

>>> round(measure([50, 100, 200, 400], [0, 0, 1, 1]).value, 3)
0.4
>>> measure([80, 80, 80], [0, 1, 1]).reason
'All answers are of the same length.'
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reviews.stats import bootstrap_interval
from reviews.stats.bootstrap_interval import RESAMPLES, Array, Quantity
from scoring.statistic import Statistic


def measure(
    words: Sequence[int],
    differences: Sequence[float],
    *,
    weights: Sequence[float] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Statistic:
    """Measure it from each answer's words and the judge's mark less the person's; no words, no part."""
    each = [1.0] * len(words) if weights is None else weights
    rows = [row for row in zip(words, differences, each, strict=True) if row[0] > 0]
    length, apart, weight = np.array(rows, dtype=float).reshape(-1, 3).T
    doublings = np.log2(length)
    doublings = doublings - doublings.mean() if rows else doublings
    columns = [np.ones(len(rows)), doublings, apart, doublings**2, doublings * apart]
    undefined = (
        "All answers are of the same length." if len(rows) > 1 else "Fewer than two answers to compare."
    )
    quantity = Quantity(np.column_stack(columns) * weight[:, None], _slope, len(rows), undefined)
    return bootstrap_interval.measure(quantity, seed=seed, resamples=resamples)


def _slope(sums: Array) -> Array:
    n, x, y, xx, xy = (sums[..., at] for at in range(5))
    spread = n * xx - x * x
    # A resample of answers of one length has no spread but for rounding.
    return bootstrap_interval.ratio(n * xy - x * y, np.where(spread > 1e-9 * n * xx, spread, 0.0))
