"""Statistics read arrays as they read lists: what is NaN in one is None in the other."""

from __future__ import annotations

import numpy as np
import pytest

from evalportal.stats import mean_interval, paired_difference, pass_rate
from scoring.statistic import Statistic

SCORES = [0.2, None, 0.9, 0.4, 0.7, 0.1, None, 0.8]
LATER = [0.3, 0.5, None, 0.6, 0.7, 0.4, None, 0.9]
CLUSTERS = [7, 7, -3, -3, 12, 12, 5, 5]


def _array(scores: list[float | None]) -> mean_interval.Array:
    return np.array([np.nan if score is None else score for score in scores])


def _close(one: Statistic, other: Statistic) -> bool:
    ends = [(one.value, other.value), (one.low, other.low), (one.high, other.high)]
    return (one.n, one.reason) == (other.n, other.reason) and all(a == pytest.approx(b) for a, b in ends)


@pytest.mark.parametrize("clusters", [None, CLUSTERS])
def test_it_means_the_same_by_array(clusters: list[int] | None) -> None:
    by_list = mean_interval.measure(SCORES, clusters=clusters)
    as_array = None if clusters is None else np.array(clusters)
    assert _close(mean_interval.measure(_array(SCORES), clusters=as_array), by_list)


def test_it_compares_the_same_by_array() -> None:
    by_list = paired_difference.measure(SCORES, LATER, clusters=CLUSTERS)
    by_array = paired_difference.measure(_array(SCORES), _array(LATER), clusters=np.array(CLUSTERS))
    assert _close(by_array.difference, by_list.difference)
    assert by_array.p_value == pytest.approx(by_list.p_value)
    assert by_array.left_out == by_list.left_out


def test_it_passes_the_same_by_array() -> None:
    passed = [True, False, True, True, False, True, False, True]
    by_list = pass_rate.measure(passed, clusters=CLUSTERS)
    assert _close(pass_rate.measure(np.array(passed), clusters=np.array(CLUSTERS)), by_list)


def test_it_refuses_infinity_in_an_array() -> None:
    with pytest.raises(ValueError, match="finite"):
        mean_interval.measure(np.array([0.5, np.inf]))


def test_it_knows_nothing_of_an_empty_array() -> None:
    empty = np.array([], dtype=float)
    found = mean_interval.measure(empty, clusters=np.array([], dtype=np.int64))
    assert (found.value, found.reason) == (None, mean_interval.NO_SCORES)
