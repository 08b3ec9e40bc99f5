"""Student's t equals scipy's, in the middle and far out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from reviews.stats import t_distribution

FREEDOMS = [0.5, 1, 1.5, 2, 3, 4.7, 9, 30, 39.9, 40, 41, 250, 4999, 1e5, 1e7]


@pytest.mark.parametrize("df", FREEDOMS)
def test_its_tail_equals_scipy(df: float) -> None:
    t = np.array([1e-3, 0.1, 0.7, 1.0, 1.4, 1.72, 1.75, 2.0, 3.0, 6.0, 20.0, 37.0])
    assert t_distribution.tail(t, df) == pytest.approx(2 * stats.t.sf(t, df), rel=1e-9)


@pytest.mark.parametrize("df", FREEDOMS)
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99, 0.9999])
def test_its_critical_value_equals_scipy(level: float, df: float) -> None:
    assert t_distribution.critical(level, df) == pytest.approx(stats.t.ppf((1 + level) / 2, df), rel=1e-9)


def test_its_tail_of_nothing_is_everything() -> None:
    assert t_distribution.tail(0.0, 7) == 1.0


def test_its_tail_is_two_sided_and_takes_arrays() -> None:
    found = t_distribution.tail([[-2.0, 2.0], [1.0, 0.0]], [[5, 5], [9, 9]])
    assert found.shape == (2, 2)
    assert found[0, 0] == found[0, 1]


def test_it_is_exact_for_one_degree_of_freedom() -> None:
    # Cauchy: P(|T| >= 1) = 1/2, and for small t it is 1 - 2t/π, which is more than scipy keeps.
    assert t_distribution.tail(1.0, 1) == pytest.approx(0.5, abs=1e-15)
    assert t_distribution.tail(1e-8, 1) == pytest.approx(1 - 2e-8 / np.pi, abs=1e-15)
