"""Scores of many runs go in; their ranks come out, shared by runs that nothing shows to differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from evalportal import alignment
from evalportal.alignment import Floats, Numbers
from evalportal.board_entries import Scores
from evalportal.stats import tied_ranks

# Raise it when ranks are made otherwise: those that were kept are then made anew.
VERSION = 1


class Rank(NamedTuple):
    """A run's place, whether it shares it, and with how many runs a test cannot tell it apart."""

    place: int
    tied: bool
    alike: int


def rank(scores: Mapping[int, Scores]) -> dict[int, Rank]:
    """Rank runs by their means, with ties by paired differences; keys are those of the runs."""
    if not scores:
        return {}
    table, clusters = _table(list(scores.values()))
    # Where nothing is shared, a cluster is a question, and there is a shorter way to the same variance.
    shared = len(np.unique(clusters)) < len(clusters)
    found = tied_ranks.rank(table, clusters=clusters.tolist() if shared else None)
    sizes = Counter(one.rank for one in found)
    return {
        key: Rank(one.rank, sizes[one.rank] > 1, len(one.tied_with))
        for key, one in zip(scores, found, strict=True)
        if one.rank is not None
    }


def _table(runs: list[Scores]) -> tuple[Floats, Numbers]:
    """Lay the runs out, a row for each and a column for every question that any of them has a score for."""
    asked = [alignment.questions(one) for one in runs]
    keys, first = np.unique(np.concatenate([one.keys for one in asked]), return_index=True)
    table = np.full((len(runs), len(keys)), np.nan)
    for row, one in zip(table, asked, strict=True):
        row[np.searchsorted(keys, one.keys)] = one.scores
    return table, np.concatenate([one.clusters for one in asked])[first]
