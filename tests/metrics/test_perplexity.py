"""Perplexity: formula, estimates, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.gateway_contract import AnswerScores
from scoring.measurement import Sample, TokenScores
from scoring.metrics.perplexity import ESTIMATE, measure


def of(*logprobs: float) -> Sample:
    return Sample("An answer.", tokens=TokenScores(logprobs=logprobs))


def test_it_is_the_number_of_equal_choices() -> None:
    assert measure(of(*[math.log(1 / 8)] * 5)).value == pytest.approx(8.0)
    assert measure(of(0.0, 0.0)).value == 1.0


def test_it_says_that_a_servers_log_probabilities_make_an_estimate() -> None:
    exact = TokenScores(logprobs=[-0.5], logits=np.zeros((1, 2)))
    assert measure(of(-0.5)).flags == (ESTIMATE,)
    assert measure(Sample("An answer.", tokens=exact)).flags == ()
    stored = AnswerScores(logprobs=[-0.5], entropies=[0.7])
    assert measure(Sample("An answer.", tokens=stored)).flags == ()


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, 0.5, None])
def test_it_names_the_log_probability_that_is_none(wrong: float) -> None:
    found = measure(of(-0.1, wrong))
    assert found.value is None
    assert found.why.startswith("tokens.logprobs[1] is ")


@pytest.mark.parametrize("wrong", [["-0.5x"], [[-0.5]], [[-0.1], [-0.1, -0.2]]])
def test_it_names_the_field_that_holds_no_numbers(wrong: list[object]) -> None:
    found = measure(Sample("An answer.", tokens=TokenScores(logprobs=wrong)))  # type: ignore[arg-type]
    assert found.value is None
    assert found.why.startswith("tokens.logprobs must ")


@pytest.mark.parametrize("tokens", [None, TokenScores(), TokenScores(logprobs=[])])
def test_it_is_none_without_tokens(tokens: TokenScores | None) -> None:
    found = measure(Sample("An answer.", tokens=tokens))
    assert found.value is None
    assert found.why


def test_it_is_none_rather_than_infinite() -> None:
    assert measure(of(-9999.0)).value is None


def test_it_forgives_rounding_above_zero() -> None:
    assert measure(of(1e-7)).value == 1.0


@given(st.lists(st.floats(-50, 0), min_size=1, max_size=30))
def test_it_is_at_least_one_and_independent_of_order(logprobs: list[float]) -> None:
    forward, back = measure(of(*logprobs)).value, measure(of(*reversed(logprobs))).value
    assert forward is not None
    assert forward == back
    assert forward >= 1.0
