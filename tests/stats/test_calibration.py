"""Calibration of confidence: known values, honest intervals, nothing undefined by force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss

from reviews.stats import calibration

verdicts = st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=30)


def test_its_brier_score_equals_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    sure, right, weights = rng.random(80), rng.random(80) < 0.6, rng.choice([1.0, 5.0], 80)
    found = calibration.measure(sure.tolist(), right.tolist(), weights=weights.tolist())
    assert found.brier.value == pytest.approx(brier_score_loss(right, sure, sample_weight=weights))


def test_it_puts_a_confidence_into_the_bin_that_begins_with_it() -> None:
    found = calibration.measure([0.0, 0.3, 0.6, 0.7, 0.9, 1.0], [1] * 6)
    assert [(one.low, one.n) for one in found.bins] == [(0.0, 1), (0.3, 1), (0.6, 1), (0.7, 1), (0.9, 2)]


def test_it_weighs_verdicts_by_how_many_they_stand_for() -> None:
    found = calibration.measure([0.85, 0.85, 0.85], [1, 0, 1], weights=[5.0, 1.0, 4.0])
    assert found.bins[0].right.value == pytest.approx(0.9)
    assert found.ece.value == pytest.approx(0.05)


def test_it_leaves_out_verdicts_without_a_confidence() -> None:
    assert calibration.measure([0.9, None, 0.8], [1, 0, 1]).brier.n == 2


def test_it_knows_nothing_without_verdicts() -> None:
    found = calibration.measure([], [])
    assert (found.brier.value, found.ece.value, found.bins) == (None, None, [])
    assert found.brier.reason == found.ece.reason == calibration.NOTHING


@given(verdicts)
def test_it_survives_any_verdicts(rows: list[tuple[float, bool]]) -> None:
    found = calibration.measure([sure for sure, _ in rows], [right for _, right in rows], resamples=50)
    for one in (found.brier, found.ece):
        assert one.value is None or 0 <= one.value <= 1
        assert one.low is None or one.high is None or 0 <= one.low <= one.high <= 1
    assert sum(one.n for one in found.bins) == len(rows)


@pytest.mark.parametrize(("sure", "right"), [([1.2], [1]), ([0.5], [2]), ([float("nan")], [1])])
def test_it_refuses_what_is_no_confidence_or_no_outcome(sure: list[float], right: list[int]) -> None:
    with pytest.raises(ValueError, match="Confidence lies in 0 to 1"):
        calibration.measure(sure, right)


@pytest.mark.parametrize("too_sure", [0.0, 0.05, 0.15])
def test_its_interval_of_the_error_covers_at_least_95_percent(too_sure: float) -> None:
    repeats, hits = 500, 0
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        sure = rng.choice([0.55, 0.65, 0.75, 0.85, 0.95], 150)
        right = rng.random(150) < sure - too_sure
        found = calibration.measure(sure.tolist(), right.tolist(), seed=seed, resamples=400)
        hits += not found.ece.excludes(too_sure)
    assert hits / repeats >= 0.94


def test_its_interval_of_the_brier_score_covers_95_percent() -> None:
    repeats, hits = 1000, 0
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        sure = rng.choice([0.55, 0.65, 0.75, 0.85, 0.95], 100)
        found = calibration.measure(
            sure.tolist(), (rng.random(100) < sure).tolist(), seed=seed, resamples=400
        )
        hits += not found.brier.excludes(
            float(np.mean([p * (1 - p) for p in (0.55, 0.65, 0.75, 0.85, 0.95)]))
        )
    assert 0.93 <= hits / repeats <= 0.97
