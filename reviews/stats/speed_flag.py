"""Speed of reviewers.

Who marks faster than one can read: a reason to look at the marks, not a proof against them.

Formula: seconds is the median time of a reviewer's reviews, pace the median over answers of the reviewer's
time divided by the median time of the others on the same answer, and words per minute the median over
answers. Too fast is a pace below 1/3, or more than 1,000 words per minute, over at least five reviews.
People read about 240 words per minute: Brysbaert (2019), "How many words do we read per minute?".

None: seconds without a review, pace where nobody else marked the same answers.

Interval of the median: order statistics, of any distribution; it needs six reviews (David and Nagaraja, 2003,
"Order statistics", 7.1).

>>> took = [("bob", answer, 60 + answer) for answer in range(8)] + [("eve", answer, 6) for answer in range(8)]
>>> for one in measure(took):
...     print(one.reviewer, one.seconds.value, one.too_fast, one.why or '–')
bob 63.5 False –
eve 6.0 True Takes 9 % of the time that others take on the same answers.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from scoring.statistic import Statistic

FEWEST = 5
SLOWEST_PACE = 1 / 3
MOST_WORDS = 1_000.0

Times = dict[Hashable, dict[Hashable, float]]


class Speed(NamedTuple):
    """How fast a reviewer is; `why` is empty unless too fast."""

    reviewer: Hashable
    seconds: Statistic
    pace: float | None
    words_per_minute: float | None
    too_fast: bool
    why: str


def measure(
    reviews: Iterable[tuple[Hashable, Hashable, float]], *, words: Mapping[Any, int] | None = None
) -> list[Speed]:
    """Measure the reviewers of (reviewer, answer, seconds); `words` are the answers' lengths."""
    times: Times = {}
    on_answer: Times = {}
    for reviewer, answer, seconds in reviews:
        if not (math.isfinite(seconds) and seconds >= 0):
            raise ValueError(f"A review cannot take {seconds!r} seconds.")
        times.setdefault(reviewer, {})[answer] = seconds
        on_answer.setdefault(answer, {})[reviewer] = seconds
    return [
        _speed(reviewer, own, _paces(reviewer, own, on_answer), words or {})
        for reviewer, own in times.items()
    ]


def _speed(
    reviewer: Hashable, own: dict[Hashable, float], paces: list[float], words: Mapping[Any, int]
) -> Speed:
    rates = [60 * words[answer] / max(seconds, 0.1) for answer, seconds in own.items() if words.get(answer)]
    pace, rate = _median(paces), _median(rates)
    why = ""
    if pace is not None and len(paces) >= FEWEST and pace < SLOWEST_PACE:
        why = f"Takes {100 * pace:.0f} % of the time that others take on the same answers."
    elif rate is not None and len(rates) >= FEWEST and rate > MOST_WORDS:
        why = f"Reads {rate:,.0f} words per minute, and people read about 240."
    return Speed(reviewer, _median_interval(sorted(own.values())), pace, rate, bool(why), why)


def _paces(reviewer: Hashable, own: dict[Hashable, float], on_answer: Times) -> list[float]:
    paces = []
    for answer, seconds in own.items():
        others = [took for other, took in on_answer[answer].items() if other != reviewer]
        if others and (usual := median(others)) > 0:
            paces.append(seconds / usual)
    return paces


def _median(values: list[float]) -> float | None:
    return median(values) if values else None


def _median_interval(ordered: list[float]) -> Statistic:
    n = len(ordered)
    places = np.arange(1, n)
    # P(fewer than so many values lie below the median), from the logarithms of the binomial coefficients.
    ways = np.concatenate([[0.0], np.cumsum(np.log((n - places + 1) / places))])
    rank = int((np.cumsum(np.exp(ways - n * math.log(2))) <= 0.025).sum())
    if rank == 0:
        return Statistic(
            median(ordered), n=n, reason="Fewer than six reviews do not say how far it may be off."
        )
    return Statistic(median(ordered), ordered[rank - 1], ordered[n - rank], n)
