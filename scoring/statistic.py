"""The contract of every statistic: numbers of many answers or cases go in, a Statistic comes out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite


@dataclass(frozen=True, slots=True)
class Statistic:
    """A value with its interval, or None; `n` is what it stands on, `reason` why something is missing.

    Without a value there is no interval, and `reason` says why. A value without an interval has a reason
    too. A value that is not a finite number is refused: unknown is None here, never NaN.

    >>> Statistic(0.8, 0.7, 0.9, 40).excludes(0.5)
    True
    >>> Statistic(None, reason="There are no scores.").excludes(0.5)
    False
    >>> Statistic(0.99, 0.95, 1.03, 12).clipped(0.0, 1.0)
    Statistic(value=0.99, low=0.95, high=1.0, n=12, reason='')
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: str = ""

    def __post_init__(self) -> None:
        numbers = [number for number in (self.value, self.low, self.high) if number is not None]
        if not all(isfinite(number) for number in numbers):
            raise ValueError(f"A statistic must be finite or None, not {numbers!r}.")
        if (self.low is None) != (self.high is None) or (self.value is None and self.low is not None):
            raise ValueError("An interval has two ends and a value.")
        if self.low is None and not self.reason:
            raise ValueError("Say why there is no interval.")

    @property
    def margin(self) -> float | None:
        """Half the width of the interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def excludes(self, number: float) -> bool:
        """Say whether the interval is known and does not hold a number."""
        return self.low is not None and self.high is not None and not self.low <= number <= self.high

    def clipped(self, low: float, high: float) -> Statistic:
        """Cut the value and its interval to where they can lie."""
        cut = [None if x is None else min(max(x, low), high) for x in (self.value, self.low, self.high)]
        return replace(self, value=cut[0], low=cut[1], high=cut[2])
