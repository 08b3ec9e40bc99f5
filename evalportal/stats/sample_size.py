"""Sample size.

How many cases it takes to see a difference between two runs, and how many more validations it takes to know
a corrected mean to within so much.

Formula: cases are the smallest n whose paired t test of level 5 % finds a true difference with probability
80 %: the power is P(|T| > t) of a noncentral t with n - 1 degrees of freedom and noncentrality
difference/spread · √n, integrated over the chi distribution. Cohen (1988), "Statistical power analysis for
the behavioral sciences". Validations follow from the variance of the corrected mean, with the same share of
every stratum seen, and no less than now.

None: there is no difference to see or no spread, more than ten million cases would be needed, nothing says
how far judge and people differ, or even all validations would not be enough; `reason` says which.

Cohen's medium effect, half a standard deviation, takes 34 pairs.

>>> cases(difference=0.5, spread=1.0).needed
34
>>> cases(difference=0.02, spread=0.25).needed
1229
>>> round(smallest_difference(n=1229, spread=0.25), 4)
0.02
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from evalportal.stats import corrected_mean
from evalportal.stats.corrected_mean import Array, Stratum
from reviews.stats import t_distribution

MOST = 10_000_000
NORMAL = NormalDist()


class SampleSize(NamedTuple):
    """How many are needed (of validations: how many more, and which share of all), or None and why."""

    needed: int | None
    reason: str = ""
    share: float | None = None


def cases(*, difference: float, spread: float, power: float = 0.8, level: float = 0.95) -> SampleSize:
    """Say how many common cases show a difference; `spread` is the standard deviation of the differences."""
    if not (difference and spread > 0):
        return SampleSize(None, "There is no difference to see, or no spread to see it against.")
    effect = abs(difference) / spread
    # The normal distribution needs no more than t does, and only a few less.
    n = max(2.0, math.floor(((NORMAL.inv_cdf((1 + level) / 2) + NORMAL.inv_cdf(power)) / effect) ** 2))
    if n > MOST:
        return SampleSize(None, f"More than {MOST:,} cases.")
    while power_of(int(n), effect, level) < power:
        n += 1
    return SampleSize(int(n))


def smallest_difference(*, n: int, spread: float, power: float = 0.8, level: float = 0.95) -> float | None:
    """Say which difference so many cases show; None for fewer than two cases or without a spread."""
    if n < 2 or not spread > 0:
        return None
    low, high = 0.0, 1.0
    while power_of(n, high, level) < power:
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if power_of(n, middle, level) >= power else (middle, high)
    return high * spread


def power_of(n: int, effect: float, level: float = 0.95) -> float:
    """Give the probability that a paired t test on n cases finds an effect, in standard deviations."""
    df = n - 1
    bound = t_distribution.critical(level, float(df))
    shift = effect * math.sqrt(n)
    # Integrate over s, the estimated spread as a share of the true one, where its density counts.
    width = 9 / math.sqrt(2 * df)
    nodes, weights = _legendre()
    start, end = max(0.0, 1 - width), 1 + width
    s = (nodes + 1) / 2 * (end - start) + start
    log_density = (df - 1) * np.log(s) - df * s**2 / 2 + math.log(2) - math.lgamma(df / 2)
    log_density += df / 2 * math.log(df / 2)
    found = [NORMAL.cdf(shift - bound * one) + NORMAL.cdf(-shift - bound * one) for one in s.tolist()]
    return float((np.exp(log_density) * np.array(found)) @ weights * (end - start) / 2)


def validations(
    strata: Sequence[Stratum], *, margin: float, finite: bool = False, level: float = 0.95
) -> SampleSize:
    """Say how many more validations, of which share of all, bring a corrected mean to within ± margin.

    `strata` is what `corrected_mean.gather` makes. It supposes that those to come differ from the judge as
    those at hand do.
    """
    if not strata or any(one.seen == 0 for one in strata) or all(one.seen == 1 for one in strata):
        return SampleSize(None, "Too little is validated to say how far judge and people differ.")

    def reaches(share: float) -> float:
        return corrected_mean.margin_of(strata, seen=_seen(strata, share), finite=finite, level=level)

    if reaches(1.0) > margin:
        return SampleSize(None, f"Validating every answer would leave ± {reaches(1.0):.3f}: ask more cases.")
    low, high = -1.0, 1.0  # Below 0 nothing more is seen than now.
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if reaches(middle) <= margin else (middle, high)
    more = sum(_seen(strata, high)) - sum(one.seen for one in strata)
    return SampleSize(more, share=max(high, 0.0))


def _seen(strata: Sequence[Stratum], share: float) -> list[int]:
    return [max(one.seen, math.ceil(share * one.size - 1e-9)) for one in strata]


@cache
def _legendre() -> tuple[Array, Array]:
    nodes, weights = np.polynomial.legendre.leggauss(120)
    return nodes, weights
