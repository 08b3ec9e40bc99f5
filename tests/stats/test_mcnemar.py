"""McNemar's test equals statsmodels', exact for few cases that differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats import contingency_tables as tables

from evalportal.stats import mcnemar

outcomes = st.lists(
    st.tuples(st.one_of(st.none(), st.booleans()), st.one_of(st.none(), st.booleans())), max_size=60
)


@pytest.mark.parametrize(("lost", "gained"), [(0, 0), (0, 1), (3, 3), (1, 9), (0, 24), (12, 12), (20, 4)])
def test_it_is_exact_for_few(lost: int, gained: int) -> None:
    expected = stats.binomtest(lost, lost + gained, 0.5).pvalue if lost + gained else 1.0
    found = mcnemar.of_counts(lost, gained)
    assert found.method == mcnemar.EXACT
    assert found.p_value == pytest.approx(expected)


@pytest.mark.parametrize(("lost", "gained"), [(1, 9), (12, 12), (13, 12), (40, 12), (150, 86), (0, 500)])
def test_it_equals_statsmodels(lost: int, gained: int) -> None:
    few = lost + gained < mcnemar.FEW
    expected = tables.mcnemar([[10, lost], [gained, 10]], exact=few, correction=True)
    assert mcnemar.of_counts(lost, gained).p_value == pytest.approx(expected.pvalue, abs=1e-12)


def test_it_counts_what_was_lost_and_gained() -> None:
    found = mcnemar.measure([True, True, False, None, False], [True, False, True, True, False])
    assert (found.lost, found.gained, found.n) == (1, 1, 4)


def test_it_finds_no_difference_where_nothing_differs() -> None:
    found = mcnemar.measure([True, False], [True, False])
    assert (found.p_value, found.reason) == (1.0, "")


def test_it_knows_nothing_without_common_cases() -> None:
    found = mcnemar.measure([True, None], [None, False])
    assert (found.p_value, found.reason) == (None, "The runs have no scored case in common.")


def test_it_refuses_negative_counts() -> None:
    with pytest.raises(ValueError, match="negative"):
        mcnemar.of_counts(-1, 3)


@given(outcomes)
def test_it_stays_within_bounds_and_mirrors_the_runs(rows: list[tuple[bool | None, bool | None]]) -> None:
    first, second = [a for a, _ in rows], [b for _, b in rows]
    forth, back = mcnemar.measure(first, second), mcnemar.measure(second, first)
    assert forth.p_value == back.p_value
    assert forth.p_value is None or 0 <= forth.p_value <= 1
    assert (forth.lost, forth.gained) == (back.gained, back.lost)
