"""Runs share a rank as long as nothing shows that they differ, whatever else stands on the board."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from evalportal.stats import holm, paired_difference, tied_ranks

Array = NDArray[np.float64]


def board(seed: int, runs: int = 6, cases: int = 60, missing: float = 0.1) -> Array:
    rng = np.random.default_rng(seed)
    hardness, skill = rng.normal(size=cases), np.linspace(0, 0.8, runs)
    table = np.clip(0.5 + 0.2 * (skill[:, None] - hardness + rng.normal(size=(runs, cases))), 0, 1)
    return np.where(rng.random(table.shape) < missing, math.nan, table)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("clustered", [False, True])
def test_it_compares_every_pair_as_two_runs_are_compared(seed: int, clustered: bool) -> None:
    table = board(seed)
    clusters = np.random.default_rng(seed).permutation(np.arange(60) % 8) if clustered else None
    found = tied_ranks.p_values(table, clusters=clusters)
    for i in range(len(table)):
        for j in range(i):
            expected = paired_difference.measure(table[i], table[j], clusters=clusters).p_value
            assert found[i, j] == found[j, i] == pytest.approx(expected, rel=1e-9)


def test_it_corrects_for_the_number_of_pairs() -> None:
    table = board(1)
    above = np.triu_indices(len(table), 1)
    expected = holm.adjust(tied_ranks.p_values(table)[above].tolist())
    assert tied_ranks.adjusted_p_values(table)[above].tolist() == pytest.approx(expected)


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 7), st.integers(1, 40))
def test_it_never_gives_one_rank_to_runs_that_differ(seed: int, runs: int, cases: int) -> None:
    table = board(seed, runs, cases, missing=0.2)
    ranked = tied_ranks.rank(table)
    p_values = tied_ranks.adjusted_p_values(table)
    for i, one in enumerate(ranked):
        for j, other in enumerate(ranked):
            if i != j and one.rank is not None and one.rank == other.rank:
                assert not p_values[i, j] < 0.05
                assert j in one.tied_with


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 7), st.integers(1, 40))
def test_it_ranks_by_mean_from_one_on(seed: int, runs: int, cases: int) -> None:
    ranked = [one for one in tied_ranks.rank(board(seed, runs, cases, 0.2)) if one.mean is not None]
    ordered = sorted(ranked, key=lambda one: -(one.mean or 0.0))
    ranks = [one.rank or 0 for one in ordered]
    assert ranks == sorted(ranks)
    assert all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)


def test_it_does_not_depend_on_the_order_of_runs_or_cases() -> None:
    table = board(3)
    runs, cases = np.random.default_rng(1).permutation(6), np.random.default_rng(2).permutation(60)
    straight, mixed = tied_ranks.rank(table), tied_ranks.rank(table[runs][:, cases])
    assert [straight[run].rank for run in runs] == [one.rank for one in mixed]


def test_it_splits_a_chain_of_ties() -> None:
    # Each run is tied with the next one, and the first is better than the last.
    means, differ = np.array([0.9, 0.8, 0.7]), np.zeros((3, 3), dtype=bool)
    differ[0, 2] = differ[2, 0] = True
    assert tied_ranks._ranks(means, differ) == [1, 1, 3]


def test_it_ties_equal_runs() -> None:
    assert [one.rank for one in tied_ranks.rank([[0.5, 0.7, 0.1]] * 3)] == [1, 1, 1]


def test_it_gives_a_run_of_errors_no_rank() -> None:
    ranked = tied_ranks.rank([[None, None], [0.5, 0.9], [0.4, 0.2]])
    assert (ranked[0].rank, ranked[0].mean, ranked[0].tied_with) == (None, None, ())
    assert ranked[1].tied_with == (2,)


def test_it_ties_runs_without_common_cases() -> None:
    assert [one.rank for one in tied_ranks.rank([[0.9, None], [None, 0.1]])] == [1, 1]


@pytest.mark.parametrize("scores", [[], [[]], [[], []]])
def test_it_survives_an_empty_board(scores: list[list[float | None]]) -> None:
    assert [one.rank for one in tied_ranks.rank(scores)] == [None] * len(scores)


def test_it_refuses_runs_on_different_lists() -> None:
    with pytest.raises(ValueError, match="same list"):
        tied_ranks.rank([[0.1, 0.2], [0.3]])


def test_it_seldom_splits_runs_of_the_same_model() -> None:
    # Five runs that differ by chance alone: Holm keeps any false split below 5 %.
    splits = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        table = 0.5 + 0.2 * (rng.normal(size=80) + rng.normal(size=(5, 80)))
        splits += any(one.rank != 1 for one in tied_ranks.rank(table))
    assert splits / 400 < 0.075
