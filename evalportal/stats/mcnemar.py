"""McNemar's test.

Whether two runs pass differently often: only the cases count that one passes and the other fails.

Formula: `lost` are the cases that only the first passes, `gained` those that only the second does. For fewer
than 25 together, exact: twice the smaller tail of a binomial distribution with probability 1/2, at most 1.
Otherwise χ² = (|lost - gained| - 1)² / (lost + gained) with one degree of freedom. McNemar (1947), "Note on
the sampling error of the difference between correlated proportions"; Edwards (1948), on the correction for
continuity.

None: the runs have no case in common that was passed or failed by both. Without a case that differs p is 1.

Agresti (2013), "Categorical data analysis", on approval of a prime minister in two surveys: 794 approve
twice, 150 only the first time, 86 only the second, 570 never.

>>> found = of_counts(lost=150, gained=86)
>>> round(found.statistic, 2), found.method, round(found.p_value, 6)
(16.82, 'chi-square with continuity correction', 4.1e-05)
>>> of_counts(lost=1, gained=9).p_value
0.021484375
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

FEW = 25
EXACT = "exact"
CHI_SQUARE = "chi-square with continuity correction"


class McNemar(NamedTuple):
    """What two runs passed and failed differently; `reason` says why there is no p-value."""

    lost: int
    gained: int
    n: int
    p_value: float | None
    method: str = EXACT
    statistic: float | None = None
    reason: str = ""


def measure(first: Sequence[bool | None], second: Sequence[bool | None]) -> McNemar:
    """Compare what two runs passed, in the same order of cases; None is neither passed nor failed."""
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    if not pairs:
        return McNemar(0, 0, 0, None, reason="The runs have no scored case in common.")
    lost = sum(bool(a) and not b for a, b in pairs)
    gained = sum(bool(b) and not a for a, b in pairs)
    return of_counts(lost, gained)._replace(n=len(pairs))


def of_counts(lost: int, gained: int) -> McNemar:
    """Test the two counts of cases that came out differently."""
    differing = lost + gained
    if min(lost, gained) < 0:
        raise ValueError("A count cannot be negative.")
    if differing < FEW:
        tail = sum(math.comb(differing, k) for k in range(min(lost, gained) + 1))
        return McNemar(lost, gained, differing, min(1.0, 2 * tail / 2**differing))
    square = (max(abs(lost - gained) - 1, 0)) ** 2 / differing
    return McNemar(lost, gained, differing, math.erfc(math.sqrt(square / 2)), CHI_SQUARE, square)
