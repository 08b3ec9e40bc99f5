"""Scorings of many runs go in; their ranks come out, kept, and shared where nothing shows a difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evalportal import alignment, board_entries
from evalportal.alignment import Floats, Numbers
from evalportal.board_entries import Scores
from evalportal.models import Ranking
from evalportal.stats import tied_ranks
from scoring.models import Scoring

# Raise it when ranks are made otherwise: those that were kept are then made anew.
VERSION = 1
# So many rankings are kept; older ones are made anew when somebody asks for them.
KEPT = 1_000


class Rank(NamedTuple):
    """A run's place, whether it shares it, and with how many runs a test cannot tell it apart."""

    place: int
    tied: bool
    alike: int


def of(scorings: Sequence[Scoring]) -> dict[int, Rank]:
    """Rank some runs; kept as long as they are the same runs with the same scores."""
    name = f"{VERSION}:{board_entries.state(scorings)}"
    kept = Ranking.objects.filter(name=name).values_list("ranks", flat=True).first()
    if kept is None:
        found = rank(board_entries.scores(scorings))
        Ranking.objects.get_or_create(name=name, defaults={"ranks": found})
        return found
    return {int(key): Rank(*one) for key, one in kept.items()}


def forget() -> None:
    """Remove the rankings that are older than the newest thousand."""
    newest = Ranking.objects.order_by("-pk").values_list("pk", flat=True).first()
    if newest is not None:
        Ranking.objects.filter(pk__lte=newest - KEPT).delete()


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
