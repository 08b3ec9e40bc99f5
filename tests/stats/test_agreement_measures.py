"""Every measure of agreement equals its definition and its reference, and is defined on bad panels."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from irrCAC.raw import CAC
from numpy.typing import NDArray
from pandas import DataFrame
from sklearn.metrics import cohen_kappa_score

from reviews.stats import bootstrap_interval, cohen_kappa, conger_kappa, gate, gwet_ac2, krippendorff_alpha
from reviews.stats import panel as panels

Array = NDArray[np.float64]
Draw = Callable[..., Array]
STEPS = [1.0, 2.0, 3.0, 4.0, 5.0]
SEEDS = range(12)
MEASURES = list(gate.MEASURES)

marks = st.one_of(st.none(), st.integers(1, 5))
tables = st.integers(1, 4).flatmap(
    lambda reviewers: st.lists(st.lists(marks, min_size=reviewers, max_size=reviewers), max_size=12)
)


def as_panel(rows: Array) -> panels.Panel:
    return panels.table([[None if math.isnan(mark) else mark for mark in row] for row in rows])


def value(measure: str, panel: panels.Panel) -> float | None:
    return bootstrap_interval.value(gate.MEASURES[measure](panel))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic"])
def test_cohens_kappa_equals_scikit_learn(seed: int, weights: cohen_kappa.Weights, draw_marks: Draw) -> None:
    rows = draw_marks(seed, 25, reviewers=2)[:, 0]
    name = None if weights == "unweighted" else weights
    expected = cohen_kappa_score(*rows.T, weights=name, labels=STEPS)
    found = bootstrap_interval.value(cohen_kappa.quantity(as_panel(rows), weights=weights))
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_equals_krippendorff(seed: int, level: krippendorff_alpha.Level, draw_marks: Draw) -> None:
    rows = draw_marks(seed, 25, reviewers=2 + seed % 4, missing=0.2)[:, 0]
    expected = krippendorff.alpha(rows.T, level_of_measurement=level, value_domain=STEPS)
    found = bootstrap_interval.value(krippendorff_alpha.quantity(as_panel(rows), level=level))
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("weights", ["identity", "ordinal", "quadratic"])
def test_ac2_equals_irrcac(seed: int, weights: gwet_ac2.Weights, draw_marks: Draw) -> None:
    rows = draw_marks(seed, 25, reviewers=2 + seed % 4, missing=0.2)[:, 0]
    expected = CAC(DataFrame(rows), weights=weights, categories=STEPS, digits=12).gwet()["est"]
    found = bootstrap_interval.value(gwet_ac2.quantity(as_panel(rows), weights=weights))
    assert found == pytest.approx(expected["coefficient_value"], abs=1e-11)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic"])
def test_congers_kappa_equals_irrcac(seed: int, weights: cohen_kappa.Weights, draw_marks: Draw) -> None:
    rows = draw_marks(seed, 25, reviewers=2 + seed % 4, missing=0.2)[:, 0]
    name = "identity" if weights == "unweighted" else weights
    expected = CAC(DataFrame(rows), weights=name, categories=STEPS, digits=12).conger()["est"]
    found = bootstrap_interval.value(conger_kappa.quantity(as_panel(rows), weights=weights))
    assert found == pytest.approx(expected["coefficient_value"], abs=1e-11)


# Gwet's example of four raters and twelve subjects, and what irrCAC 0.4.4 makes of it.
GWET = list(
    zip(
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, None],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
        strict=True,
    )
)


@pytest.mark.parametrize(
    ("weights", "expected"), [("identity", 0.775444068), ("ordinal", 0.89893977), ("quadratic", 0.914000724)]
)
def test_ac2_equals_the_published_example(weights: gwet_ac2.Weights, expected: float) -> None:
    found = bootstrap_interval.value(gwet_ac2.quantity(panels.table(GWET), weights=weights))
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("weights", "expected"), [("unweighted", 0.762817441), ("linear", 0.81377632), ("quadratic", 0.857710656)]
)
def test_congers_kappa_equals_the_published_example(weights: cohen_kappa.Weights, expected: float) -> None:
    found = bootstrap_interval.value(conger_kappa.quantity(panels.table(GWET), weights=weights))
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_agreement_equals_counting_pairs_by_hand(seed: int, draw_marks: Draw) -> None:
    rows = draw_marks(seed, 25, reviewers=4, missing=0.3)[:, 0]
    apart = np.array([abs(a - b) for row in rows for a, b in permutations(row[~np.isnan(row)], 2)])
    assert value("exact", as_panel(rows)) == pytest.approx(np.mean(apart == 0))
    assert value("within_one", as_panel(rows)) == pytest.approx(np.mean(apart <= 1))


@pytest.mark.parametrize("seed", SEEDS)
def test_alpha_equals_its_definition(seed: int, draw_marks: Draw) -> None:
    rows = [row[~np.isnan(row)] for row in draw_marks(seed, 25, reviewers=4, missing=0.3)[:, 0]]
    compared = [row for row in rows if len(row) >= 2]
    everything = np.concatenate(compared)

    def distance(a: float, b: float) -> float:
        low, high = min(a, b), max(a, b)
        between = sum(low <= mark <= high for mark in everything)
        return float((between - ((everything == a).sum() + (everything == b).sum()) / 2) ** 2)

    observed = sum(distance(*pair) / (len(row) - 1) for row in compared for pair in permutations(row, 2))
    expected = sum(distance(*pair) for pair in permutations(everything, 2)) / (len(everything) - 1)
    panel = panels.table([list(row) + [None] * (4 - len(row)) for row in rows])
    assert value("krippendorff_alpha", panel) == pytest.approx(1 - observed / expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_ac2_equals_its_definition(seed: int, draw_marks: Draw) -> None:
    rows = [row[~np.isnan(row)] for row in draw_marks(seed, 25, reviewers=4, missing=0.3)[:, 0]]
    compared = [row for row in rows if len(row) >= 2]
    agreement = np.mean(
        [np.mean([1 - (a - b) ** 2 / 16 for a, b in permutations(row, 2)]) for row in compared]
    )
    shares = np.array([np.mean([np.mean(row == step) for row in rows]) for step in STEPS])
    near = sum(1 - (a - b) ** 2 / 16 for a in STEPS for b in STEPS)
    chance = near / 20 * (shares * (1 - shares)).sum()
    panel = panels.table([list(row) + [None] * (4 - len(row)) for row in rows])
    assert value("gwet_ac2", panel) == pytest.approx((agreement - chance) / (1 - chance))


@pytest.mark.parametrize("seed", SEEDS)
def test_congers_kappa_of_two_is_cohens(seed: int, draw_marks: Draw) -> None:
    panel = as_panel(draw_marks(seed, 25, reviewers=2)[:, 0])
    one, other = cohen_kappa.quantity(panel), conger_kappa.quantity(panel)
    assert bootstrap_interval.value(one) == pytest.approx(bootstrap_interval.value(other))


def test_it_pools_criteria_as_if_they_were_answers(draw_marks: Draw) -> None:
    cube = draw_marks(1, 30, criteria=4, reviewers=3, missing=0.2)
    marks = ((a, c, r, float(cube[a, c, r])) for a, c, r in np.ndindex(*cube.shape))
    panel = panels.gather((a, c, r, None if math.isnan(mark) else mark) for a, c, r, mark in marks)
    flat = as_panel(cube.reshape(-1, 3))
    for measure in MEASURES:
        assert value(measure, panel) == pytest.approx(value(measure, flat)), measure


@pytest.mark.parametrize("measure", MEASURES)
@given(tables)
def test_it_survives_any_table(measure: str, rows: list[list[int | None]]) -> None:
    found = gate.measure_all(panels.table(rows), measures=[measure], resamples=50)[measure]
    assert found.value is None or found.value <= 1 + 1e-12
    assert found.reason or (found.low is not None and found.high is not None)


@pytest.mark.parametrize("measure", MEASURES)
@given(tables)
def test_it_does_not_depend_on_names_or_order(measure: str, rows: list[list[int | None]]) -> None:
    rng = np.random.default_rng(len(rows))
    shuffled = [rows[i] for i in rng.permutation(len(rows))]
    columns = rng.permutation(len(rows[0]) if rows else 0)
    renamed = [[row[i] for i in columns] for row in rows]
    found = value(measure, panels.table(rows))
    assert value(measure, panels.table(shuffled)) == pytest.approx(found)
    assert value(measure, panels.table(renamed)) == pytest.approx(found)


@pytest.mark.parametrize("measure", ["exact", "within_one", "kappa", "krippendorff_alpha", "gwet_ac2"])
def test_it_gives_full_agreement_on_different_answers_a_one(measure: str) -> None:
    found = gate.measure_all(panels.table([[mark] * 3 for mark in (1, 2, 3, 4, 5, 5)]))[measure]
    assert found.value == 1.0


@pytest.mark.parametrize(("measure", "expected"), [("exact", 1.0), ("within_one", 1.0), ("gwet_ac2", 1.0)])
def test_it_counts_unanimous_panels_as_agreeing(measure: str, expected: float) -> None:
    assert gate.measure_all(panels.table([[4, 4, 4]] * 9))[measure].value == expected


@pytest.mark.parametrize("measure", ["kappa", "krippendorff_alpha"])
@pytest.mark.parametrize("reviewers", [2, 3])
def test_it_does_not_define_chance_on_unanimous_panels(measure: str, reviewers: int) -> None:
    found = gate.measure_all(panels.table([[4] * reviewers] * 9))[measure]
    assert found.value is None
    assert "same mark" in found.reason or "marks are the same" in found.reason


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("rows", [[], [[3]], [[3], [4]], [[None, 4], [4, None]], [[None, None]]])
def test_it_does_not_know_agreement_without_a_pair(measure: str, rows: list[list[int | None]]) -> None:
    found = gate.measure_all(panels.table(rows))[measure]
    assert found.value is None
    assert found.reason


@pytest.mark.parametrize("measure", MEASURES)
def test_it_gives_one_answer_no_interval(measure: str) -> None:
    found = gate.measure_all(panels.table([[3, 5]]))[measure]
    if measure in ("exact", "within_one"):
        assert (found.value, found.low) == (0.0, 0.0)
        assert 0.75 < (found.high or 0.0) < 1
    else:
        assert found.low is None
        assert found.reason


def test_cohens_kappa_refuses_three_reviewers() -> None:
    found = cohen_kappa.measure(panels.table([[3, 4, 5]] * 6))
    assert (found.value, found.reason) == (None, "Cohen's kappa compares two reviewers; there are 3 here.")
