"""The weighted mean: None leaves both sums, weight 0 counts nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.aggregation import weighted_mean
from scoring.ccop.weights import STANDARD, UnknownMetricError, overall_score, weight

VALUES = st.dictionaries(st.sampled_from(list(STANDARD)), st.none() | st.floats(0, 1))


def test_it_divides_the_weighted_sum_by_the_weights() -> None:
    values = {"accuracy": 1.0, "completeness": 0.5, "grounding": 0.0}
    assert overall_score(values) == pytest.approx((1.0 + 0.5 * 0.8) / 2.8)


def test_it_leaves_what_is_undefined_out_of_both_sums() -> None:
    assert overall_score({"accuracy": None, "completeness": 0.5}) == 0.5
    assert overall_score({"accuracy": None}) is overall_score({}) is None


def test_it_counts_nothing_that_has_no_weight() -> None:
    assert overall_score({"concision": 1.0, "accuracy": 0.25}) == 0.25
    assert overall_score({"concision": 1.0}) is None
    assert weighted_mean({"new": 1.0}, {}) is None


def test_it_weighs_our_metrics_as_what_they_stand_for() -> None:
    assert weight("label_match") == weight("rubric") == weight("judge_rubric") == weight("accuracy") == 1.0
    assert weight("key_fact_recall") == weight("completeness") == 0.8


def test_it_names_a_metric_that_has_no_weight() -> None:
    with pytest.raises(UnknownMetricError, match="no metric 'charm'; there are: accuracy"):
        overall_score({"charm": 1.0})


@pytest.mark.parametrize("name", ["accuracy", "concision"])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_it_shows_a_value_that_is_no_number(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"must be finite: .*'{name}': {value}"):
        overall_score({"grounding": 1.0, name: value})


@given(VALUES)
def test_it_stays_within_what_it_averages(values: dict[str, float | None]) -> None:
    counted = [value for name, value in values.items() if value is not None and STANDARD[name]]
    overall = overall_score(values)
    assert (overall is None) == (not counted)
    assert overall is None or min(counted) - 1e-12 <= overall <= max(counted) + 1e-12
