"""Length bias is a slope: equal to scipy's, covering what it says, None where there is nothing to see."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from reviews.stats import length_bias


def test_it_equals_scipy() -> None:
    rng = np.random.default_rng(2)
    words, apart = rng.integers(20, 500, 40), rng.integers(-2, 3, 40)
    expected = stats.linregress(np.log2(words), apart).slope
    assert length_bias.measure(words.tolist(), apart.tolist()).value == pytest.approx(expected)


def test_it_equals_weighted_least_squares() -> None:
    rng = np.random.default_rng(2)
    words, apart, weights = rng.integers(20, 500, 40), rng.integers(-2, 3, 40), rng.choice([1.0, 5.0], 40)
    expected = np.polyfit(np.log2(words), apart, 1, w=np.sqrt(weights))[0]
    found = length_bias.measure(words.tolist(), apart.tolist(), weights=weights.tolist())
    assert found.value == pytest.approx(expected)


@pytest.mark.parametrize("words", [[], [70], [0, 0, 70]])
def test_it_needs_two_answers(words: list[int]) -> None:
    found = length_bias.measure(words, [1.0] * len(words))
    assert (found.value, found.reason) == (None, "Fewer than two answers to compare.")


def test_it_needs_two_lengths() -> None:
    found = length_bias.measure([100] * 8, [0, 1] * 4)
    assert (found.value, found.reason) == (None, "All answers are of the same length.")


def test_it_covers_95_percent() -> None:
    repeats, hits = 1000, 0
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        words = np.exp2(rng.uniform(4, 9, 80)).astype(int)
        apart = 0.2 * np.log2(words) + rng.normal(size=80)
        hits += not length_bias.measure(words.tolist(), apart.tolist(), seed=seed, resamples=500).excludes(
            0.2
        )
    assert 0.93 <= hits / repeats <= 0.97
