"""Holm's correction.

Of many comparisons some look significant by chance: this makes p-values of a family comparable with 0.05.

Formula: with the m p-values in ascending order, the k-th becomes the largest of (m - i + 1) · p_i over i ≤ k,
at most 1. The chance of any false difference in the family then stays below 5 %, however they depend on one
another. Holm (1979), "A simple sequentially rejective multiple test procedure".

None: stays None, and does not count in the family.

Four comparisons:

>>> [round(p, 3) for p in adjust([0.01, 0.04, 0.03, 0.005])]
[0.03, 0.06, 0.06, 0.02]
>>> adjust([0.02, None])
[0.02, None]
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def adjust(p_values: Sequence[float | None]) -> list[float | None]:
    """Correct the p-values of a family, in the order given."""
    found = adjust_array(np.array([math.nan if p is None else p for p in p_values], dtype=float))
    return [None if math.isnan(p) else p for p in found.tolist()]


def adjust_array(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correct many p-values at once; NaN is none."""
    known = np.flatnonzero(~np.isnan(p_values))
    if ((p_values[known] < 0) | (p_values[known] > 1)).any():
        raise ValueError("A p-value lies in 0 to 1.")
    order = known[np.argsort(p_values[known], kind="stable")]
    left = np.arange(len(order), 0, -1)
    adjusted = np.full(len(p_values), math.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(left * p_values[order]), 1.0)
    return adjusted
