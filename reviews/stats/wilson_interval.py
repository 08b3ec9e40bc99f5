"""Wilson interval.

How far a share, such as a pass rate, may be off: it stays within 0 to 1 and is honest for few trials.

Formula: with p the share, n the trials and z the normal quantile, the ends are
(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n); no success or no failure puts an end at 0 or 1.
Wilson (1927), "Probable inference, the law of succession, and statistical inference".

None: there are no trials.

Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I: 81 of 263.

>>> rate = measure(81, 263)
>>> round(rate.value, 4), round(rate.low, 4), round(rate.high, 4)
(0.308, 0.2553, 0.3662)
>>> measure(0, 0).reason
'There is nothing to take a share of.'
"""

from __future__ import annotations

import math
from statistics import NormalDist

from scoring.statistic import Statistic


def measure(successes: int, trials: int, *, level: float = 0.95) -> Statistic:
    """Estimate a share from how often something happened."""
    if trials == 0:
        return Statistic(None, reason="There is nothing to take a share of.")
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials cannot be.")
    share = successes / trials
    return Statistic(share, *ends(share, trials, NormalDist().inv_cdf((1 + level) / 2)), n=trials)


def ends(share: float, trials: float, z: float) -> tuple[float, float]:
    """Give the two ends; the trials may be fewer than were counted, if they resemble one another."""
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    spread = z * math.sqrt(share * (1 - share) / trials + (z / trials) ** 2 / 4) / (1 + z * z / trials)
    # At the border the ends are exact, and rounding must not put them beside it.
    return (0.0 if share == 0 else centre - spread), (1.0 if share == 1 else centre + spread)
