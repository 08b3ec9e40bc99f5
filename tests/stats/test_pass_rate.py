"""A pass rate's interval is Wilson's, and wider where cases stand in clusters."""

from __future__ import annotations

import numpy as np
import pytest

from evalportal.stats import mean_interval, pass_rate
from reviews.stats import wilson_interval


def test_it_is_wilsons_without_clusters() -> None:
    assert pass_rate.measure([True] * 7 + [None] + [False] * 3) == wilson_interval.measure(7, 10)


def test_it_counts_alike_cases_for_fewer() -> None:
    rng = np.random.default_rng(1)
    clusters = np.repeat(np.arange(20), 10)
    passed = (rng.random(20)[clusters] < 0.6).tolist()
    apart = pass_rate.measure(passed).margin or 0.0
    together = pass_rate.measure(passed, clusters=clusters.tolist()).margin or 0.0
    assert together > 2.5 * apart


@pytest.mark.parametrize("outcome", [True, False])
def test_it_counts_each_cluster_once_where_all_came_out_alike(outcome: bool) -> None:
    found = pass_rate.measure([outcome] * 12, clusters=[1, 2, 3, 4] * 3)
    assert found.value == float(outcome)
    assert 0.5 < (found.margin or 0.0) * 2 < 0.8


def test_it_knows_nothing_of_nothing() -> None:
    assert pass_rate.measure([]).value is None
    assert pass_rate.measure([None], clusters=["a"]).value is None


def test_it_gives_one_cluster_no_interval() -> None:
    found = pass_rate.measure([True, False], clusters=["a", "a"])
    assert (found.value, found.low, found.reason) == (0.5, None, mean_interval.ONE_CLUSTER)


@pytest.mark.parametrize("rate", [0.5, 0.85])
def test_it_covers_95_percent_with_clusters(rate: float) -> None:
    repeats, hits = 1_500, 0
    clusters = np.repeat(np.arange(30), 6)
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        # A third of the outcomes are the cluster's own, the others each case's.
        own = rng.random(30)[clusters] < rate
        passed = np.where(rng.random(180) < 0.33, own, rng.random(180) < rate)
        hits += not pass_rate.measure(passed.tolist(), clusters=clusters.tolist()).excludes(rate)
    # Of 1,500 intervals that cover 95 %, 93.5 to 96.5 % do so, but for one seed in 100.
    assert 0.935 <= hits / repeats <= 0.965
