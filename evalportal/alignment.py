"""Scores of several runs go in; their scores on the questions that all of them have in common come out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalportal.board_entries import Scores

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]

# A question is a case at a level of noise, from 0 to 100: both go into one number.
_LEVELS = 1_000


class Aligned(NamedTuple):
    """Questions that all runs have a score for; `scores` has a row for each run."""

    cases: Numbers
    noises: Numbers
    clusters: Numbers
    scores: Floats

    @property
    def n(self) -> int:
        return len(self.cases)

    def only(self, chosen: Mask) -> Aligned:
        """Keep some of the questions."""
        return Aligned(self.cases[chosen], self.noises[chosen], self.clusters[chosen], self.scores[:, chosen])


class Questions(NamedTuple):
    """One run's scores by question; of several answers to a question, their mean."""

    keys: Numbers
    clusters: Numbers
    scores: Floats


def align(runs: Sequence[Scores]) -> Aligned:
    """Keep the questions that every run has a score for, in the order of the cases."""
    asked = [questions(one) for one in runs]
    common = reduce(
        lambda left, right: np.intersect1d(left, right, assume_unique=True), (one.keys for one in asked)
    )
    rows = [one.scores[np.searchsorted(one.keys, common)] for one in asked]
    clusters = asked[0].clusters[np.searchsorted(asked[0].keys, common)]
    return Aligned(
        common // _LEVELS, common % _LEVELS, clusters, np.array(rows).reshape(len(runs), len(common))
    )


def questions(one: Scores) -> Questions:
    """Bring the answers to each question together."""
    keys, first, place, count = np.unique(
        one.cases * _LEVELS + one.noises, return_index=True, return_inverse=True, return_counts=True
    )
    sums = np.bincount(place, weights=one.overalls, minlength=len(keys))
    return Questions(keys, one.clusters[first], sums / np.maximum(count, 1))
