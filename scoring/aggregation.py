"""A case's values and their weights go in; its overall, over what is defined, comes out."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum, isfinite


def weighted_mean(values: Mapping[str, float | None], weights: Mapping[str, float]) -> float | None:
    """Take sum(value x weight) / sum(weight) over the defined metrics that count.

    A None leaves both sums, and a metric without a weight counts nothing; None when nothing is left.

    >>> weighted_mean({"accuracy": 0.5, "grounding": 1, "rubric": None}, {"accuracy": 1, "grounding": 3})
    0.875
    """
    counted = [(value, weights.get(name, 0.0)) for name, value in values.items() if value is not None]
    total = fsum([weight for _, weight in counted])
    weighted = fsum([value * weight for value, weight in counted])
    if not isfinite(weighted):
        raise ValueError(f"Every value must be finite: {dict(values)}.")
    return weighted / total if total > 0 else None
