"""Sample sizes equal statsmodels', give the power they promise, and say when nothing suffices."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats import power

from evalportal.stats import corrected_mean, sample_size


@pytest.mark.parametrize("effect", [0.05, 0.2, 0.5, 0.8, 1.5])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_it_equals_the_noncentral_t(effect: float, power: float) -> None:
    found = sample_size.cases(difference=effect, spread=1.0, power=power).needed or 0

    def reached(n: int) -> float:
        bound, shift = stats.t.ppf(0.975, n - 1), effect * n**0.5
        return float(stats.nct.sf(bound, n - 1, shift) + stats.nct.cdf(-bound, n - 1, shift))

    assert reached(found) >= power
    assert found == 2 or reached(found - 1) < power


def test_it_equals_statsmodels() -> None:
    for n, effect in [(2, 0.5), (10, 0.3), (100, 0.1), (5000, 0.04)]:
        assert sample_size.power_of(n, effect) == pytest.approx(
            power.TTestPower().power(effect, n, 0.05), abs=1e-9
        )


def test_it_promises_the_power_that_tests_have() -> None:
    n = sample_size.cases(difference=0.1, spread=0.25).needed or 0
    apart = np.random.default_rng(1).normal(0.1, 0.25, size=(20_000, n))
    assert (stats.ttest_1samp(apart, 0, axis=1).pvalue < 0.05).mean() == pytest.approx(0.8, abs=0.01)


def test_it_asks_the_same_either_way() -> None:
    one, other = (sample_size.cases(difference=sign * 0.02, spread=0.25) for sign in (1, -1))
    assert one == other


@pytest.mark.parametrize(("difference", "spread"), [(0.0, 0.2), (0.1, 0.0)])
def test_it_needs_something_to_see(difference: float, spread: float) -> None:
    found = sample_size.cases(difference=difference, spread=spread)
    assert (found.needed, found.reason) == (
        None,
        "There is no difference to see, or no spread to see it against.",
    )


def test_it_does_not_count_beyond_reason() -> None:
    assert sample_size.cases(difference=1e-6, spread=1.0) == (None, "More than 10,000,000 cases.", None)


def test_it_turns_a_number_of_cases_into_a_difference() -> None:
    for n in (5, 50, 500):
        smallest = sample_size.smallest_difference(n=n, spread=0.3) or 0.0
        assert sample_size.power_of(n, smallest / 0.3) == pytest.approx(0.8, abs=1e-9)
    assert sample_size.smallest_difference(n=1, spread=0.3) is None


def strata(seed: int, answers: int = 400) -> list[corrected_mean.Stratum]:
    rng = np.random.default_rng(seed)
    person = rng.choice([0.0, 0.25, 0.5, 0.75, 1.0], answers)
    judge = np.clip(person + rng.choice([-0.25, 0, 0.25], answers), 0, 1)
    seen = np.arange(answers) < answers // 5
    given = [float(y) if one else None for y, one in zip(person, seen, strict=True)]
    return corrected_mean.gather(judge.tolist(), given, [0.2] * answers)


def test_it_says_how_many_more_validations() -> None:
    found = strata(1)
    now = corrected_mean.margin_of(found)
    needed = sample_size.validations(found, margin=now * 0.95)
    reached = corrected_mean.margin_of(found, seen=[80 + (needed.needed or 0)])
    before = corrected_mean.margin_of(found, seen=[79 + (needed.needed or 0)])
    assert reached <= now * 0.95 < before
    assert needed.share == pytest.approx((80 + (needed.needed or 0)) / 400, abs=0.003)


def test_it_asks_for_none_where_there_are_enough() -> None:
    assert sample_size.validations(strata(1), margin=0.5).needed == 0


def test_it_says_when_only_more_cases_would_help() -> None:
    found = sample_size.validations(strata(1), margin=0.01)
    assert found.needed is None
    assert found.reason.endswith("ask more cases.")


def test_it_can_always_narrow_what_is_said_of_these_answers_alone() -> None:
    needed = sample_size.validations(strata(1), margin=0.001, finite=True).needed or 0
    assert 300 < needed <= 320


def test_it_needs_validations_to_go_by() -> None:
    nothing = corrected_mean.gather([0.5, 0.5], [None, None], [0.5, 0.5])
    for found in ([], nothing):
        assert sample_size.validations(found, margin=0.1).reason.startswith("Too little is validated")
