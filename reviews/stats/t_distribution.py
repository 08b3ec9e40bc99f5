"""Student's t distribution.

The two-sided tail, P(|T| ≥ t), and its inverse, for any number of degrees of freedom, whole or not.

Formula: P(|T| ≥ t) = I_x(ν/2, 1/2) with x = ν / (ν + t²), I the regularised incomplete beta function by its
continued fraction (DLMF 8.17.22). The critical value solves the tail for t by Newton's
method on logarithms, where heavy tails are nearly straight lines.

None: never; degrees of freedom must be positive.

Student's table: with 9 degrees of freedom, 95 % lie within 2.262.

>>> round(critical(0.95, 9), 3), round(float(tail(2.262, 9)), 4)
(2.262, 0.05)
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

_PAIRS = 64  # of terms of the fraction; 50 give every digit, wherever we looked up to 10⁸ degrees of freedom.
_TINY = 1e-300
_lgamma = np.vectorize(math.lgamma, otypes=[float])


def tail(t: ArrayLike, df: ArrayLike) -> Array:
    """Give P(|T| ≥ |t|), for one value or for arrays of them."""
    t, df = np.broadcast_arrays(np.asarray(t, dtype=float), np.asarray(df, dtype=float))
    odds = t * t / df  # (1 - x) / x
    near = odds * (df + 2) < 3.0  # There the fraction from the other end converges faster.
    inner = _beta(odds, df, near)
    return np.where(near, 1 - inner, inner)


@lru_cache(maxsize=10_000)
def critical(level: float, df: float) -> float:
    """Give the t within which so much of the distribution lies: 0.95 for an interval of 95 %."""
    outside = 1 - level
    z = NormalDist().inv_cdf(1 - outside / 2)
    t = z * (1 + (z * z + 1) / (4 * df))
    for _ in range(100):
        here = max(float(tail(t, df)), _TINY)
        slope = 2 * t * math.exp(_log_density(t, df)) / here
        step = math.log(here / outside) / slope
        t *= math.exp(min(max(step, -2.0), 2.0))
        if abs(step) < 1e-11:  # Newton doubles the digits: this step was the last that counts.
            break
    return t


def _beta(odds: Array, df: Array, swapped: NDArray[np.bool_]) -> Array:
    """Give I_x(ν/2, 1/2), or I_(1-x)(1/2, ν/2) where swapped."""
    a, b = np.where(swapped, 0.5, df / 2), np.where(swapped, df / 2, 0.5)
    x = np.where(swapped, odds, 1.0) / (1 + odds)
    with np.errstate(divide="ignore"):  # ln 0 at t = 0, where the result is 0.
        log_front = 0.5 * np.log(odds / math.pi) - (df + 1) / 2 * np.log1p(odds) + _log_gamma_ratio(df)
    return np.exp(log_front) / a * _fraction(x, a, b)


def _fraction(x: Array, a: Array, b: Array) -> Array:
    """Evaluate 1/(1 + d₁/(1 + d₂/(1 + …))) from its far end."""
    x, a, b = x[()], a[()], b[()]  # Plain numbers, if they are, are several times as fast.
    rest = np.ones_like(x)[()]
    for m in range(_PAIRS, 0, -1):
        rest = 1 - (a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1) * rest)
        rest = 1 + m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m) * rest)
    return np.asarray(1 / (1 - (a + b) * x / ((a + 1) * rest)))


def _log_density(t: float, df: float) -> float:
    ratio = float(_log_gamma_ratio(np.asarray(df)))
    return ratio - 0.5 * math.log(df * math.pi) - (df + 1) / 2 * math.log1p(t * t / df)


def _log_gamma_ratio(df: Array) -> Array:
    """Give ln Γ((ν+1)/2) - ln Γ(ν/2): by its series where the two are too large to be subtracted."""
    a = np.maximum(df / 2, 20.0)
    series = 0.5 * np.log(a) - 1 / (8 * a) + 1 / (192 * a**3) - 1 / (640 * a**5) + 17 / (14336 * a**7)
    small = np.minimum(df, 40.0)
    exact = _lgamma((small + 1) / 2) - _lgamma(small / 2)
    return np.where(df < 40, exact, series)
