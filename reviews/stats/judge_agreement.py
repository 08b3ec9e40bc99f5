"""Agreement of the judge with people.

How far a model's verdicts may stand in for marks that people gave without seeing them.

Formula: of the judge's mark and the person's on the same answer and criterion: exact and within-one
agreement, Cohen's quadratic kappa, and the bias, the mean of judge - person in steps of the scale (above 0
the judge is generous). Answers that were likelier to be drawn count less: each weighs 1 / its inclusion
probability, so that the figures speak of all verdicts and not only of those that people saw.

None: as for each of the four; no answer has both marks.

Interval: bootstrap over answers.

The judge gives four answers 4, 4, 5, 2, and a person 4, 3, 3, 2: two equal, three within one, 0.75 too high.

>>> pairs = zip([4, 4, 5, 2], [4, 3, 3, 2])
>>> found = measure(panels.table(list(pairs)))
>>> found.exact.value, found.within_one.value, found.bias.value, round(found.kappa.value, 3)
(0.5, 0.75, 0.75, 0.444)
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from reviews.stats import bootstrap_interval, cohen_kappa, percent_agreement
from reviews.stats import panel as panels
from reviews.stats.bootstrap_interval import RESAMPLES, Array, Quantity
from scoring.statistic import Statistic


class JudgeAgreement(NamedTuple):
    """How the judge stands to people, over some criteria."""

    exact: Statistic
    within_one: Statistic
    kappa: Statistic
    bias: Statistic


def measure(panel: panels.Panel, *, seed: int = 0, resamples: int = RESAMPLES) -> JudgeAgreement:
    """Compare the first of a panel's two reviewers, the judge, with the second, the person."""
    if len(panel.reviewers) > 2:
        raise ValueError(f"A judge and a person are two, and there are {len(panel.reviewers)}.")
    quantities = {
        "exact": percent_agreement.quantity(panel),
        "within_one": percent_agreement.quantity(panel, steps=1),
        "kappa": cohen_kappa.quantity(panel),
        "bias": _bias(panel),
    }
    return JudgeAgreement(**bootstrap_interval.measure_all(quantities, seed=seed, resamples=resamples))


def by_criterion(
    panel: panels.Panel, *, seed: int = 0, resamples: int = RESAMPLES
) -> dict[Hashable, JudgeAgreement]:
    """Compare them on each criterion."""
    return {
        criterion: measure(panel.of_criterion(criterion), seed=seed, resamples=resamples)
        for criterion in panel.criteria
    }


def _bias(panel: panels.Panel) -> Quantity:
    scale = np.array(panel.scale)
    both = (panel.codes != panels.NOT_MARKED).all(axis=2) & (len(panel.reviewers) == 2)
    apart = scale[panel.codes[:, :, 0]] - scale[panel.codes[:, :, -1]] if panel.reviewers else both
    sums = np.column_stack([np.where(both, apart, 0.0).sum(axis=1), both.sum(axis=1)])
    return Quantity(
        sums * panel.weights[:, None], _mean, panel.in_common(), percent_agreement.NO_PAIR, times=panel.times
    )


def _mean(sums: Array) -> Array:
    return bootstrap_interval.ratio(sums[..., 0], sums[..., 1])
