"""Conger's kappa.

Cohen's kappa for any number of reviewers, also where some marks are missing: how much they agree beyond
chance, as each one's own marks are spread.

Formula: κ = 1 - observed / expected. Observed is the mean over answers with m ≥ 2 marks of the disagreement v
of its pairs of marks; expected is the mean over pairs of reviewers of Σ v_kl p_k q_l, with p and q the shares
of the steps in the marks of the one and of the other. v as for Cohen's kappa: quadratic unless told. For two
reviewers of the same answers it is Cohen's. Conger (1980), "Integration and generalization of kappas for
multiple raters"; with missing marks as in Gwet (2014), "Handbook of inter-rater reliability", chapter 2.

None: no answer was marked by two reviewers, or all gave every answer the same mark.

Interval: bootstrap over answers, with all criteria of an answer together.

Gwet's example of four raters and twelve subjects has an unweighted kappa of 0.76282.

>>> rows = zip(
...     [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
...     [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, None],
...     [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3],
...     [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
... )
>>> round(measure(panels.table(list(rows)), weights="unweighted").value, 5)
0.76282
"""

from __future__ import annotations

import numpy as np

from reviews.stats import bootstrap_interval
from reviews.stats import panel as panels
from reviews.stats.bootstrap_interval import RESAMPLES, Array, Quantity
from reviews.stats.cohen_kappa import Weights, disagreement
from reviews.stats.percent_agreement import NO_PAIR
from scoring.statistic import Statistic


def measure(
    panel: panels.Panel, *, weights: Weights = "quadratic", seed: int = 0, resamples: int = RESAMPLES
) -> Statistic:
    """Measure the agreement of a panel."""
    return bootstrap_interval.measure(quantity(panel, weights=weights), seed=seed, resamples=resamples)


def quantity(panel: panels.Panel, *, weights: Weights = "quadratic") -> Quantity:
    """Make what is resampled: of each answer, its disagreement, and what each reviewer gave."""
    apart = disagreement(len(panel.scale), weights)
    n = panel.in_common()
    return Quantity(
        np.hstack([_observed(panel.counts(), apart), _given(panel)]) * panel.weights[:, None],
        lambda sums: _kappa(sums, apart),
        n,
        "All gave every answer the same mark, so kappa is not defined." if n else NO_PAIR,
        times=panel.times,
    )


def _observed(counts: Array, apart: Array) -> Array:
    marks = counts.sum(axis=2)
    pairs = marks * (marks - 1)
    disagreements = (counts * (counts @ apart)).sum(axis=2) / np.maximum(pairs, 1)
    return np.column_stack([disagreements.sum(axis=1), (pairs > 0).sum(axis=1)])


def _given(panel: panels.Panel) -> Array:
    """Count the marks of each reviewer on each answer: answers x (reviewers · steps)."""
    given = [(panel.codes == step).sum(axis=1) for step in range(len(panel.scale))]
    return (
        np.stack(given, axis=2)
        .reshape(len(panel.answers), len(panel.reviewers) * len(panel.scale))
        .astype(float)
    )


def _kappa(sums: Array, apart: Array) -> Array:
    observed = bootstrap_interval.ratio(sums[..., 0], sums[..., 1])
    reviewers_and_steps = ((sums.shape[-1] - 2) // len(apart), len(apart))
    given = sums[..., 2:].reshape(*sums.shape[:-1], *reviewers_and_steps)
    totals = given.sum(axis=-1)
    shares = given / np.where(totals > 0, totals, 1.0)[..., None]
    everyone = shares.sum(axis=-2)
    reviewers = (totals > 0).sum(axis=-1)
    with_others = ((everyone @ apart) * everyone).sum(axis=-1) - ((shares @ apart) * shares).sum(
        axis=(-2, -1)
    )
    expected = np.where(with_others > 1e-12, with_others, 0.0)  # Rounding leaves a trace of what is 0.
    return 1 - bootstrap_interval.ratio(observed * reviewers * (reviewers - 1), expected)
