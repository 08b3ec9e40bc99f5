"""Length deviation: formula, default, bad input."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measurement import Sample
from scoring.metrics.length_deviation import measure


def test_it_compares_with_sixty_words_unless_told_otherwise() -> None:
    assert measure(Sample("word " * 45)).value == 0.25
    assert measure(Sample("word " * 45, expected_length=30)).value == 0.5


def test_it_counts_what_stands_between_spaces() -> None:
    found = measure(Sample("Use TLS 1.3 - don't wait!\n", expected_length=6))
    assert (found.value, found.evidence["words"]) == (0.0, 6)


def test_it_is_one_for_a_blank_answer() -> None:
    assert measure(Sample(" \t ")).value == 1.0


@pytest.mark.parametrize("expected", [0, -5, math.nan, math.inf, 5e-324])
def test_it_is_none_without_a_usable_expectation(expected: float) -> None:
    found = measure(Sample("Some words.", expected_length=expected))
    assert found.value is None
    assert found.why.startswith("The expected length is")


@given(st.integers(0, 200), st.integers(1, 200))
def test_it_follows_the_formula(actual: int, expected: int) -> None:
    found = measure(Sample("w " * actual, expected_length=expected))
    assert found.value == abs(actual - expected) / expected
