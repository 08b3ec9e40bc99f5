"""Calibration of confidence.

Whether a judge that says "90 % sure" is right nine times in ten.

Formula: Brier = mean of (confidence - right)², right being 1 or 0: 0 is perfect, and always saying 50 %
gives 0.25. ECE, the expected calibration error, = Σ over bins of confidence of their share of the verdicts
times |share right - mean confidence|. A bin holds its lower edge; the last one holds 1 too. Verdicts that
were likelier to be drawn count less (1 / inclusion probability). Brier (1950), "Verification of forecasts
expressed in terms of probability"; Naeini, Cooper and Hauskrecht (2015), "Obtaining well calibrated
probabilities using Bayesian binning".

None: there are no verdicts with a confidence.

Interval: of Brier, bootstrap over verdicts; of a bin, Wilson's. ECE is never below 0, so chance alone makes
it too large, and resampling makes it larger still: its upper end is that of the bootstrap, its lower end is
ECE less what chance alone adds up to in 97.5 % of the resamples. It covers at least 95 %.

Ten verdicts at 90 %, nine of them right, and ten at 60 %, four right: ECE is half of 0.2.

>>> found = measure([0.9] * 10 + [0.6] * 10, [1] * 9 + [0] + [1] * 4 + [0] * 6)
>>> round(found.ece.value, 3), round(found.brier.value, 3)
(0.1, 0.185)
>>> [(one.low, one.n, round(one.confidence, 2), one.right.value) for one in found.bins]
[(0.6, 10, 0.6, 0.4), (0.9, 10, 0.9, 0.9)]
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from reviews.stats import bootstrap_interval, wilson_interval
from reviews.stats.bootstrap_interval import FEWEST, RESAMPLES, Array, Quantity
from scoring.statistic import Statistic

NOTHING = "There are no verdicts with a confidence that people checked."


class Bin(NamedTuple):
    """The verdicts of about the same confidence: `right` is the share of them that was right."""

    low: float
    high: float
    n: int
    confidence: float
    right: Statistic


class Calibration(NamedTuple):
    """How well confidence foretells being right; the bins make the reliability plot."""

    brier: Statistic
    ece: Statistic
    bins: list[Bin]


def measure(
    confidences: Sequence[float | None],
    right: Sequence[bool | int],
    *,
    weights: Sequence[float] | None = None,
    bins: int = 10,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Calibration:
    """Compare what the judge was sure of with what people found right; None is no confidence."""
    sure, hit, weight = _known(confidences, right, weights)
    place = np.minimum((sure * bins + 1e-9).astype(int), bins - 1)  # 0.29 · 100 is 28.999…
    scores = Quantity(np.column_stack([weight * (sure - hit) ** 2, weight]), _mean, len(sure), NOTHING)
    return Calibration(
        bootstrap_interval.measure(scores, seed=seed, resamples=resamples),
        _ece(np.eye(bins)[place] * (weight * (hit - sure))[:, None], weight, seed, resamples),
        [
            _bin(k, bins, sure[place == k], hit[place == k], weight[place == k])
            for k in sorted(set(place.tolist()))
        ],
    )


def _known(
    confidences: Sequence[float | None], right: Sequence[bool | int], weights: Sequence[float] | None
) -> tuple[Array, Array, Array]:
    each = [1.0] * len(right) if weights is None else weights
    rows = [row for row in zip(confidences, right, each, strict=True) if row[0] is not None]
    sure, hit, weight = np.array(rows, dtype=float).reshape(-1, 3).T
    if not (((sure >= 0) & (sure <= 1)).all() and np.isin(hit, (0, 1)).all() and (weight > 0).all()):
        raise ValueError("Confidence lies in 0 to 1, right is true or false, and weights are positive.")
    return sure, hit, weight


def _mean(sums: Array) -> Array:
    return bootstrap_interval.ratio(sums[..., 0], sums[..., 1])


def _ece(gaps: Array, weight: Array, seed: int, resamples: int) -> Statistic:
    n = len(weight)
    if n == 0:
        return Statistic(None, reason=NOTHING)
    found = gaps.sum(axis=0) / weight.sum()
    value = float(np.abs(found).sum())
    if n < FEWEST:
        return Statistic(value, n=n, reason=f"Fewer than {FEWEST} verdicts do not say how far it may be off.")
    sums = bootstrap_interval.resampled(np.column_stack([gaps, weight]), resamples=resamples, seed=seed)
    drawn = sums[:, :-1] / sums[:, -1:]
    end = bootstrap_interval.percentiles(n)[1]
    by_chance = float(np.quantile(np.abs(drawn - found).sum(axis=1), end))
    high = max(value, float(np.quantile(np.abs(drawn).sum(axis=1), end)))
    return Statistic(value, max(0.0, value - by_chance), high, n)


def _bin(place: int, bins: int, sure: Array, hit: Array, weight: Array) -> Bin:
    total = weight.sum()
    share = float((weight * hit).sum() / total)
    alike = float(total**2 / (weight**2).sum())  # Kish: so many verdicts of equal weight say as much.
    ends = wilson_interval.ends(share, alike, NormalDist().inv_cdf(0.975))
    return Bin(
        place / bins,
        (place + 1) / bins,
        len(sure),
        float((weight * sure).sum() / total),
        Statistic(share, *ends, n=len(sure)),
    )
