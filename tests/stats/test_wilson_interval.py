"""Wilson's interval equals the published one, stays within 0 to 1, and covers what it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats import proportion

from reviews.stats import wilson_interval


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    # Newcombe (1998), table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0000, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_it_equals_the_published_table(successes: int, trials: int, low: float, high: float) -> None:
    found = wilson_interval.measure(successes, trials)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


def test_it_equals_statsmodels() -> None:
    for successes, trials in [(0, 1), (1, 1), (3, 10), (199, 200), (450, 5000)]:
        found = wilson_interval.measure(successes, trials)
        expected = proportion.proportion_confint(successes, trials, method="wilson")
        assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_it_holds_its_share_and_stays_within_bounds(counted: tuple[int, int]) -> None:
    found = wilson_interval.measure(*counted)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_it_mirrors_passes_and_failures(counted: tuple[int, int]) -> None:
    passes, trials = counted
    one, other = wilson_interval.measure(passes, trials), wilson_interval.measure(trials - passes, trials)
    assert one.low == pytest.approx(1 - (other.high or 0.0))


def test_it_refuses_more_passes_than_trials() -> None:
    with pytest.raises(ValueError, match="4 successes in 3 trials"):
        wilson_interval.measure(4, 3)


def test_it_covers_what_it_says_on_average() -> None:
    # For one rate the share of a binomial is discrete, so coverage swings; over rates it is what it says.
    trials, rates = 40, np.linspace(0.05, 0.95, 181)
    ends = np.array([wilson_interval.ends(k / trials, trials, 1.959964) for k in range(trials + 1)])
    from scipy import stats

    inside = (ends[:, :1] <= rates) & (rates <= ends[:, 1:])
    coverage = (inside * stats.binom.pmf(np.arange(trials + 1)[:, None], trials, rates)).sum(axis=0)
    assert 0.945 < coverage.mean() < 0.955
