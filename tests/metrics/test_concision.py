"""Concision: free up to one and a half times the expected length, then falling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measurement import Sample
from scoring.metrics.concision import measure


def value(words: int, expected: int, **settings: float) -> float | None:
    sample = Sample("word " * words, expected_response="word " * expected, settings=settings)
    return measure(sample).value


def test_it_gives_all_up_to_one_and_a_half_times_the_length() -> None:
    assert value(15, 10) == 1.0
    assert value(1, 10) == 1.0


def test_it_falls_with_the_length_beyond() -> None:
    assert value(30, 10) == 0.5
    assert value(150, 10) == 0.1


def test_it_takes_the_allowance_from_its_settings() -> None:
    assert value(30, 10, concision_allowance=3) == 1.0


@pytest.mark.parametrize("allowance", [0, -1, "2", None, True, float("inf"), float("nan")])
def test_it_names_an_allowance_that_makes_no_sense(allowance: object) -> None:
    with pytest.raises(ValueError, match="concision_allowance"):
        measure(Sample("x", expected_response="x", settings={"concision_allowance": allowance}))


def test_it_is_undefined_without_an_expected_response() -> None:
    assert value(5, 0) is None


@given(st.integers(1, 200), st.integers(1, 50))
def test_it_never_rises_with_more_words(words: int, expected: int) -> None:
    shorter, longer = value(words, expected), value(words + 1, expected)
    assert shorter is not None
    assert longer is not None
    assert 0 < longer <= shorter <= 1
