"""Gate of agreement.

Whether reviewers agree enough for their marks to count, and where they agree least.

Formula: the rubric's measure over all answers, criteria and reviewers of the panel, against its threshold
(80 % exact agreement unless the rubric says otherwise). Reaching the threshold is enough.

None: met is None where the measure is not defined, and `agreement.reason` says why.

Bob and carol agree on three of four answers by accuracy, and on one of four by clarity.

>>> marks = {"accuracy": ([4, 4, 3, 5], [4, 4, 3, 4]), "clarity": ([5, 2, 3, 4], [4, 3, 3, 2])}
>>> panel = panels.gather(
...     (answer, criterion, reviewer, mark)
...     for criterion, columns in marks.items()
...     for reviewer, column in zip(("bob", "carol"), columns)
...     for answer, mark in enumerate(column)
... )
>>> gate = check(panel)
>>> gate.agreement.value, gate.met, gate.criteria[0], gate.pairs[0]
(0.5, False, Place(name='clarity', value=0.25, n=4), Place(name=('bob', 'carol'), value=0.5, n=4))
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

from reviews.stats import (
    bootstrap_interval,
    cohen_kappa,
    conger_kappa,
    gwet_ac2,
    krippendorff_alpha,
    percent_agreement,
)
from reviews.stats import panel as panels
from reviews.stats.bootstrap_interval import RESAMPLES, Quantity
from scoring.statistic import Statistic

THRESHOLD = 0.8
_SLACK = 1e-9

MEASURES: dict[str, Callable[[panels.Panel], Quantity]] = {
    "exact": percent_agreement.quantity,
    "within_one": lambda panel: percent_agreement.quantity(panel, steps=1),
    "kappa": lambda panel: (
        cohen_kappa.quantity(panel) if len(panel.reviewers) == 2 else conger_kappa.quantity(panel)
    ),
    "krippendorff_alpha": krippendorff_alpha.quantity,
    "gwet_ac2": gwet_ac2.quantity,
}


class Place(NamedTuple):
    """A criterion or a pair of reviewers, and how well they agree there; None if that is not defined."""

    name: Hashable
    value: float | None
    n: int


class Gate(NamedTuple):
    """What was asked for, what was found, and where it is worst: criteria and pairs, the worst first."""

    measure: str
    threshold: float
    agreement: Statistic
    met: bool | None
    criteria: list[Place]
    pairs: list[Place]


def check(
    panel: panels.Panel,
    *,
    measure: str = "exact",
    threshold: float = THRESHOLD,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Gate:
    """Hold a panel against its rubric."""
    quantity, panel = MEASURES[measure], panel.alike()
    agreement = bootstrap_interval.measure(quantity(panel), seed=seed, resamples=resamples)
    return Gate(
        measure,
        threshold,
        agreement,
        None if agreement.value is None else agreement.value >= threshold - _SLACK,
        _worst_first([_place(name, quantity(panel.of_criterion(name))) for name in panel.criteria]),
        _worst_first([_place(pair, quantity(panel.of_reviewers(*pair))) for pair in panel.pairs()]),
    )


def measure_all(
    panel: panels.Panel,
    *,
    measures: Iterable[str] = tuple(MEASURES),
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> dict[str, Statistic]:
    """Measure a panel, or the part of it that one criterion, benchmark or pair is, in several ways."""
    kinds = panel.alike()
    quantities = {name: MEASURES[name](kinds) for name in measures}
    return bootstrap_interval.measure_all(quantities, seed=seed, resamples=resamples)


def _place(name: Hashable, quantity: Quantity) -> Place:
    return Place(name, bootstrap_interval.value(quantity), quantity.n)


def _worst_first(places: list[Place]) -> list[Place]:
    """Put the least agreement first, of equals the one with more answers, and the undefined last."""
    return sorted(places, key=lambda place: (place.value is None, place.value or 0.0, -place.n))
