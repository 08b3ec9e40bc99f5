"""The bootstrap is seeded, does not depend on the order of answers, and covers what it says."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from reviews.stats import bootstrap_interval, gate
from reviews.stats import panel as panels
from reviews.stats.bootstrap_interval import Quantity, ratio

Array = NDArray[np.float64]
Draw = Callable[..., Array]


def mean(values: Array) -> Quantity:
    parts = np.column_stack([values, np.ones(len(values))])
    return Quantity(parts, lambda sums: ratio(sums[..., 0], sums[..., 1]), len(values))


def as_panel(cube: Array) -> panels.Panel:
    codes = np.where(np.isnan(cube), 0, cube).astype(np.int8) - 1
    answers, criteria, reviewers = (tuple(range(size)) for size in cube.shape)
    return panels.Panel(codes, answers, criteria, reviewers, panels.SCALE, np.ones(len(cube)))


def test_it_repeats_itself_for_a_seed() -> None:
    quantity = mean(np.random.default_rng(1).normal(size=30))
    assert bootstrap_interval.measure(quantity, seed=4) == bootstrap_interval.measure(quantity, seed=4)
    assert bootstrap_interval.measure(quantity, seed=4) != bootstrap_interval.measure(quantity, seed=5)


@pytest.mark.parametrize("distinct", [3, 1000])
def test_it_does_not_depend_on_the_order_of_answers(distinct: int) -> None:
    rng = np.random.default_rng(2)
    values = rng.integers(0, distinct, size=200).astype(float)
    one = bootstrap_interval.measure(mean(values), seed=3)
    other = bootstrap_interval.measure(mean(rng.permutation(values)), seed=3)
    assert (one.low, one.high) == (other.low, other.high)


@pytest.mark.parametrize("distinct", [3, 1000])
def test_it_has_the_spread_that_theory_says(distinct: int) -> None:
    values = np.random.default_rng(2).integers(0, distinct, size=200).astype(float)
    sums = bootstrap_interval.resampled(mean(values).parts, resamples=20_000, seed=1)
    assert sums[:, 1].tolist() == [200.0] * 20_000
    assert (sums[:, 0] / 200).std() == pytest.approx(values.std() / math.sqrt(200), rel=0.02)
    assert (sums[:, 0] / 200).mean() == pytest.approx(values.mean(), rel=0.005)


def test_it_gives_the_same_alone_and_together(draw_marks: Draw) -> None:
    panel = as_panel(draw_marks(3, 40, criteria=2))
    together = gate.measure_all(panel)
    assert together["exact"].value == gate.measure_all(panel, measures=["exact"])["exact"].value


def test_it_knows_nothing_of_nothing() -> None:
    found = bootstrap_interval.measure(mean(np.zeros(0)))
    assert (found.value, found.n, found.reason) == (None, 0, "It cannot be computed.")
    assert bootstrap_interval.measure_all({}) == {}


def test_it_gives_few_answers_no_interval() -> None:
    found = bootstrap_interval.measure(mean(np.array([1.0, 2.0, 3.0, 4.0])))
    assert (found.value, found.low) == (2.5, None)
    assert found.reason == "Fewer than 5 answers do not say how far it may be off."


def test_it_gives_equal_answers_no_interval() -> None:
    found = bootstrap_interval.measure(mean(np.full(50, 0.7)))
    assert found.value == pytest.approx(0.7)
    assert found.low is None
    assert found.reason == bootstrap_interval.ALIKE


def test_it_gives_no_interval_where_resamples_are_often_undefined() -> None:
    panel = panels.table([[4, 4]] * 9 + [[5, 4]])
    found = gate.measure_all(panel)["krippendorff_alpha"]
    assert found.value is not None
    assert found.reason == "Too many resamples have no value: the marks hardly vary."


def test_its_intervals_of_agreement_cover_95_percent(draw_marks: Draw) -> None:
    truth = gate.measure_all(as_panel(draw_marks(0, 100_000)), resamples=10)
    repeats, hits = 600, dict.fromkeys(gate.MEASURES, 0)
    for seed in range(1, repeats + 1):
        found = gate.measure_all(as_panel(draw_marks(seed, 150)), seed=seed)
        for name in hits:
            hits[name] += not found[name].excludes(truth[name].value or 0.0)
    # Of 600 intervals that cover 95 %, 92.7 to 97.3 % do so, but for one seed in 100.
    assert [name for name, hit in hits.items() if not 0.927 <= hit / repeats <= 0.973] == [], hits


def test_its_intervals_stay_honest_for_a_dozen_answers(draw_marks: Draw) -> None:
    truth = bootstrap_interval.value(gate.MEASURES["exact"](as_panel(draw_marks(0, 100_000)))) or 0.0
    repeats = 600
    found = [
        gate.measure_all(as_panel(draw_marks(seed, 12)), measures=["exact"], seed=seed)["exact"]
        for seed in range(1, repeats + 1)
    ]
    assert 0.92 <= sum(not one.excludes(truth) for one in found) / repeats <= 0.98
