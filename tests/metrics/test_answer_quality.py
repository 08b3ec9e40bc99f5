"""Answer quality: formula, several judges, bad marks."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measurement import Sample
from scoring.metrics.answer_quality import CRITERIA, measure


def marked(*marks: float) -> dict[str, float]:
    return dict(zip(CRITERIA, marks, strict=False))


def test_it_brings_marks_from_one_to_five_to_a_share() -> None:
    assert measure(Sample("Yes.", marks=[marked(1, 1, 1, 1)])).value == 0.0
    assert measure(Sample("Yes.", marks=[marked(5, 5, 5, 5)])).value == 1.0
    assert measure(Sample("Yes.", marks=[marked(1, 2, 3, 4)])).value == 0.375


def test_it_averages_over_judges() -> None:
    found = measure(Sample("Yes.", marks=[marked(5, 5, 5, 5), marked(3, 3, 3, 3)]))
    assert (found.value, found.evidence["means"]) == (0.75, [5.0, 3.0])


def test_it_flags_a_criterion_that_was_not_judged_and_ignores_others() -> None:
    found = measure(Sample("Yes.", marks=[{**marked(4, 4, 4), "style": 1}]))
    assert found.value == 0.75
    assert found.flags == ("1 of 4 criteria were not judged by all.",)
    assert found.evidence["not_judged_by_all"] == ["non_repetitiveness"]


@pytest.mark.parametrize("wrong", [0, 5.1, -1, math.nan, math.inf, None, "4"])
def test_it_names_a_mark_that_is_none(wrong: float) -> None:
    found = measure(Sample("Yes.", marks=[marked(3), marked(3, wrong)]))
    assert found.value is None
    assert found.why == f"marks[1]['technical_correctness'] is {wrong!r}: marks run from 1 to 5."


@pytest.mark.parametrize("marks", [[], [{}], [{"style": 3}]])
def test_it_is_none_until_somebody_judges(marks: list[dict[str, float]]) -> None:
    assert measure(Sample("Yes.", marks=marks)).value is None


@given(st.lists(st.tuples(*[st.integers(1, 5)] * 4), min_size=1, max_size=5))
def test_it_stays_between_zero_and_one(judges: list[tuple[int, int, int, int]]) -> None:
    found = measure(Sample("Yes.", marks=[marked(*marks) for marks in judges]))
    assert found.value is not None
    assert 0.0 <= found.value <= 1.0
