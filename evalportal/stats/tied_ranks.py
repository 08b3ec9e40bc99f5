"""Ranks with ties.

The order of runs on a board, in which runs share a rank as long as nothing shows that they differ.

Formula: every two runs are compared by their paired difference on the cases that both have scored, and the
p-values of all pairs are corrected by Holm. Runs are then taken from the highest mean down; a run joins the
group above it unless it differs significantly (p < 0.05) from some member of it, and then begins a new group.
The rank of a group is one more than the number of runs above it. So no two runs of one rank differ
significantly; runs of different ranks may still be tied with each other, and `tied_with` says with whom.

None: a run without scores has no rank. Two runs without a p-value (no case in common, all differences equal)
count as tied: nothing shows that they differ.

Three runs on eight cases: the first two differ by chance, the third is far below.

>>> good = [0.9, 0.8, 1.0, 0.7, 0.9, 0.6, 0.8, 1.0]
>>> close = [0.8, 0.9, 0.9, 0.7, 1.0, 0.6, 0.7, 1.0]
>>> poor = [0.3, 0.1, 0.5, 0.2, 0.3, 0.0, 0.2, 0.4]
>>> [(one.rank, one.tied_with) for one in rank([poor, good, close])]
[(3, ()), (1, (2,)), (1, (1,))]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalportal.stats import holm
from evalportal.stats.mean_interval import Array, Clusters, Scores
from reviews.stats import t_distribution

_NOTHING = 1e-12  # Less than that is rounding.


class Ranked(NamedTuple):
    """A run's rank, its mean, and the places of all runs that it is not shown to differ from."""

    rank: int | None
    mean: float | None
    tied_with: tuple[int, ...]


def rank(
    scores: Sequence[Scores] | Array, *, clusters: Clusters | None = None, level: float = 0.95
) -> list[Ranked]:
    """Rank runs, a row of scores for each, in the same order of cases; None or NaN is a case without one."""
    table = _table(scores)
    scored = ~np.isnan(table)
    means = np.where(
        scored.any(axis=1), np.nansum(table, axis=1) / np.maximum(scored.sum(axis=1), 1), math.nan
    )
    differ = adjusted_p_values(table, clusters=clusters) < 1 - level
    ranks = _ranks(means, differ)
    return [
        Ranked(ranks[run], None if math.isnan(means[run]) else float(means[run]), _tied(run, ranks, differ))
        for run in range(len(table))
    ]


def adjusted_p_values(table: Array, *, clusters: Clusters | None = None) -> Array:
    """Give Holm's p-value of every two runs, runs x runs; NaN where there is none."""
    found = p_values(table, clusters=clusters)
    above = np.triu_indices(len(table), 1)
    adjusted = np.full(found.shape, math.nan)
    adjusted[above] = holm.adjust_array(found[above])
    return np.where(np.isnan(adjusted), adjusted.T, adjusted)


def p_values(table: Array, *, clusters: Clusters | None = None) -> Array:
    """Give the p-value of the paired difference of every two runs, all at once."""
    seen = (~np.isnan(table)).astype(float)
    scores = np.where(seen > 0, table - np.nanmean(table) if seen.any() else 0.0, 0.0)
    n = seen @ seen.T
    means = _divided(scores @ seen.T - seen @ scores.T, n)
    if clusters is None:
        variances, freedoms = _of_cases(scores, seen, n, means)
    else:
        variances, freedoms = _of_clusters(scores, seen, n, means, clusters)
    known = (n > 1) & (variances > _NOTHING**2) & (freedoms > 0)
    t = np.where(known, means / np.sqrt(np.where(known, variances, 1.0)), 0.0)
    return np.where(known, t_distribution.tail(t, np.where(known, freedoms, 1.0)), math.nan)


def _of_cases(scores: Array, seen: Array, n: Array, means: Array) -> tuple[Array, Array]:
    squares = scores**2 @ seen.T + seen @ (scores**2).T - 2 * scores @ scores.T
    spread = np.maximum(squares - n * means**2, 0.0)
    # Equal differences leave a trace of rounding in the squares.
    spread = np.where(spread > 1e-13 * np.maximum(squares, _NOTHING), spread, 0.0)
    return _divided(spread, n * (n - 1)), n - 1


def _of_clusters(
    scores: Array, seen: Array, n: Array, means: Array, clusters: Clusters
) -> tuple[Array, Array]:
    """Sum over clusters what `mean_interval` sums for one pair."""
    deviations, squares, across, across_squares = (np.zeros(n.shape) for _ in range(4))
    for columns in _columns(clusters, scores.shape[1]):
        values, there = scores[:, columns], seen[:, columns]
        sums, sizes = values @ there.T, there @ there.T
        rest = _divided(np.ones(n.shape), n - sizes)  # 0 where all common cases share this cluster
        deviations += (sums - sums.T - means * sizes) ** 2 * rest
        squared = sizes**2
        crossed = squared * rest
        squares += squared
        across += crossed
        across_squares += crossed**2
    # These are n⁴ times the terms of `mean_interval.freedom`, and n⁴ (1/n)² is n².
    return _divided(deviations, n), _divided(n**2, squares + across**2 - across_squares)


def _columns(clusters: Clusters, cases: int) -> list[NDArray[np.intp]]:
    if len(clusters) != cases:
        raise ValueError(f"{cases} cases cannot have {len(clusters)} clusters.")
    places: dict[object, list[int]] = {}
    for place, cluster in enumerate(clusters):
        places.setdefault(cluster, []).append(place)
    return [np.array(found, dtype=np.intp) for found in places.values()]


def _table(scores: Sequence[Scores] | Array) -> Array:
    if isinstance(scores, np.ndarray):
        return scores.astype(float)
    rows = [[math.nan if score is None else score for score in row] for row in scores]
    if len({len(row) for row in rows}) > 1:
        raise ValueError("Runs must be scored on the same list of cases.")
    return np.array(rows, dtype=float).reshape(len(rows), len(rows[0]) if rows else 0)


def _divided(numerator: Array, denominator: Array) -> Array:
    return np.divide(numerator, denominator, out=np.zeros(denominator.shape), where=denominator > 0)


def _ranks(means: Array, differ: NDArray[np.bool_]) -> list[int | None]:
    ranks: list[int | None] = [None] * len(means)
    group: list[int] = []
    order = [int(run) for run in np.argsort(-means, kind="stable") if not math.isnan(means[run])]
    for above, run in enumerate(order):
        if not group or differ[run, group].any():
            group, number = [], above + 1
        group.append(run)
        ranks[run] = number
    return ranks


def _tied(run: int, ranks: list[int | None], differ: NDArray[np.bool_]) -> tuple[int, ...]:
    if ranks[run] is None:
        return ()
    return tuple(
        other
        for other in range(len(ranks))
        if other != run and ranks[other] is not None and not differ[run, other]
    )
