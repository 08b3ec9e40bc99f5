"""Combined score: published values, parts, what is missing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measurement import TokenScores
from scoring.metrics import coherence, hallucination, perplexity
from scoring.metrics.combined import EXAMPLE, measure, score

number = st.floats(-10, 10)


def test_it_gives_the_published_score_of_the_fine_tuned_model() -> None:
    assert score(0.450, 0.236, 1.189) == pytest.approx(0.20211)


def test_it_is_made_of_the_three_metrics() -> None:
    parts = [metric.measure(EXAMPLE).value for metric in (coherence, hallucination, perplexity)]
    assert measure(EXAMPLE).value == score(*parts)
    assert list(measure(EXAMPLE).evidence["parts"].values()) == parts


def test_it_is_none_if_a_part_is_and_says_which() -> None:
    found = measure(replace(EXAMPLE, tokens=TokenScores(logprobs=[-0.1])))
    assert found.value is None
    assert "hallucination: The model's server gave neither" in found.why
    assert found.evidence["parts"]["perplexity"] is not None


def test_it_passes_on_that_its_parts_are_estimates() -> None:
    estimated = TokenScores(logprobs=[-0.1], top_logprobs=[[-0.1]], vocabulary=100)
    assert set(measure(replace(EXAMPLE, tokens=estimated)).flags) == {
        hallucination.ESTIMATE,
        perplexity.ESTIMATE,
    }


@given(number, number, number)
def test_it_follows_the_formula_unrounded(one: float, two: float, three: float) -> None:
    assert score(one, two, three) == one - two - 0.01 * three
