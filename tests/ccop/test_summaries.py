"""Summaries: counts, means and pass rates, with what is pending in none of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.summaries import Outcome, by, mean_over_benchmarks, summarise

OUTCOMES = [
    Outcome("B10", "Risk reasoning", "High", None, "awaiting review"),
    Outcome("B2", "Compliance judgement", "Critical", 0.2),
    Outcome("B2", "Compliance judgement", "Low", 0.1),
    Outcome("B9", "Risk reasoning", "low", 0.9),
    Outcome("B1", "Applicability & scope", "Low", None),
]


def test_it_counts_what_is_scored_pending_and_neither() -> None:
    found = summarise(OUTCOMES, 0.15)
    assert (found.cases, found.scored, found.pending, found.not_scored) == (5, 3, 1, 1)
    assert found.mean == pytest.approx(0.4)
    assert (found.passed, found.pass_rate) == (2, 2 / 3)


def test_it_keeps_a_pending_case_out_of_the_mean_even_if_it_has_a_score() -> None:
    assert summarise([Outcome("B7", "", "", 1.0, "awaiting review")], 0.15).mean is None


def test_it_has_no_mean_of_nothing() -> None:
    found = summarise([], 0.15)
    assert (found.cases, found.mean, found.pass_rate) == (0, None, None)


def test_it_orders_benchmarks_by_number_and_categories_by_their_first() -> None:
    assert list(by(OUTCOMES, "benchmark", 0.15)) == ["B1", "B2", "B9", "B10"]
    assert list(by(OUTCOMES, "category", 0.15)) == [
        "Applicability & scope",
        "Compliance judgement",
        "Risk reasoning",
    ]


def test_it_orders_difficulties_by_weight_and_unknown_ones_last() -> None:
    assert list(by(OUTCOMES, "difficulty", 0.15)) == ["Low", "High", "Critical", "low"]


def test_it_takes_benchmarks_other_than_ccops() -> None:
    assert list(by([Outcome("rejection", "RAG", "", 1.0)], "benchmark", 0.5)) == ["rejection"]


def test_it_gives_every_benchmark_the_same_say() -> None:
    assert mean_over_benchmarks(OUTCOMES) == ((0.2 + 0.1) / 2 + 0.9) / 2
    assert mean_over_benchmarks([]) is None


@given(
    st.lists(
        st.builds(Outcome, st.sampled_from(("B1", "B2", "x")), st.just("c"), st.just("Low"), st.floats(0, 1))
    )
)
def test_it_loses_no_case(outcomes: list[Outcome]) -> None:
    groups = by(outcomes, "benchmark", 0.5).values()
    assert sum(group.cases for group in groups) == len(outcomes)
    assert sum(group.passed for group in groups) == summarise(outcomes, 0.5).passed
