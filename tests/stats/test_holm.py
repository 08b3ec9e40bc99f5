"""Holm's correction equals statsmodels', and its own definition step by step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats import multitest

from evalportal.stats import holm

families = st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12)


@given(families)
def test_it_equals_its_definition(family: list[float | None]) -> None:
    known = sorted(p for p in family if p is not None)
    steps = [min(1.0, max((len(known) - i) * known[i] for i in range(k + 1))) for k in range(len(known))]
    found = holm.adjust(family)
    assert [p is None for p in found] == [p is None for p in family]
    assert sorted(p for p in found if p is not None) == pytest.approx(steps)


def test_it_equals_statsmodels() -> None:
    family = np.random.default_rng(1).random(40) ** 3
    assert holm.adjust(family.tolist()) == pytest.approx(
        multitest.multipletests(family, method="holm")[1].tolist()
    )


@given(families)
def test_it_never_lowers_a_p_value(family: list[float | None]) -> None:
    pairs = zip(family, holm.adjust(family), strict=True)
    assert all(after >= before for before, after in pairs if before is not None and after is not None)


def test_it_does_not_count_what_is_unknown() -> None:
    assert holm.adjust([None, 0.03, None]) == [None, 0.03, None]
    assert holm.adjust([]) == []


def test_it_refuses_what_is_no_probability() -> None:
    with pytest.raises(ValueError, match="0 to 1"):
        holm.adjust([1.5])
