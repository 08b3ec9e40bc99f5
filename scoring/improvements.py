"""The metrics of two runs go in; how much each changed, and whether that is for the better, comes out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import ModuleType
from typing import NamedTuple

from scoring import registry

METRICS = "scoring.metrics"


class Improvement(NamedTuple):
    """One metric before and after; `change` is a share of the old value, `better` None if neither."""

    metric: str
    old: float | None
    new: float | None
    change: float | None
    better: bool | None


def table(old: Mapping[str, float | None], new: Mapping[str, float | None]) -> list[Improvement]:
    """Compare two runs metric by metric, in the order of the first, then of the second.

    >>> old, new = {"coherence": 0.049, "perplexity": 1.252}, {"coherence": 0.450, "perplexity": 1.189}
    >>> for row in table(old, new):
    ...     print(row.metric, percent(row.change), row.better)
    coherence +818 % True
    perplexity -5 % True
    """
    return [_row(metric, old.get(metric), new.get(metric)) for metric in dict.fromkeys([*old, *new])]


def change(old: float | None, new: float | None) -> float | None:
    """Give (new - old) / |old|; None where the old value is 0, or next to it, or either is unknown."""
    if old is None or new is None or old == 0:
        return None
    share = (new - old) / abs(old)
    return share if math.isfinite(share) else None


def percent(share: float | None) -> str:
    """Write a change as people read it.

    >>> percent(8.1837), percent(-0.0503), percent(None)
    ('+818 %', '-5 %', '–')
    """
    return "–" if share is None else f"{100 * share:+.0f} %"


def better(metric: ModuleType, old: float | None, new: float | None) -> bool | None:
    """Say whether a change is for the better, by the metric's direction; None if it is neither."""
    if old is None or new is None or old == new:
        return None
    if metric.DIRECTION == "moderate":
        before, after = (_distance(value, *metric.HEALTHY) for value in (old, new))
        return None if before == after else after < before
    return (new > old) is (metric.DIRECTION == "higher")


def _row(metric: str, old: float | None, new: float | None) -> Improvement:
    module = registry.plugin(METRICS, metric)
    return Improvement(metric, old, new, change(old, new), better(module, old, new))


def _distance(value: float, start: float, end: float) -> float:
    """Measure how far a value is from the healthy band; within it there is no better."""
    return max(start - value, value - end, 0.0)
