"""KL divergence shift: formula beside scipy's and torch's, bad input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import softmax
from scipy.stats import entropy

from scoring.gateway_contract import AnswerScores
from scoring.measurement import Sample, TokenScores
from scoring.metrics.kl_shift import BANDS, HEALTHY, measure

logits = arrays(np.float64, (4, 6), elements=st.floats(-20, 20))


def between(tuned: Any, base: Any) -> Sample:
    return Sample("An answer.", tokens=TokenScores(logits=tuned, base_logits=base))


@given(logits, logits)
def test_it_is_the_mean_divergence_that_scipy_finds(tuned: Any, base: Any) -> None:
    expected = entropy(softmax(tuned, axis=1), softmax(base, axis=1), axis=1).mean()
    assert measure(between(tuned, base)).value == pytest.approx(expected, abs=1e-9)


@given(logits, st.floats(-100, 100))
def test_it_is_zero_for_equal_models_whatever_is_added_to_the_logits(tuned: Any, shift: float) -> None:
    assert measure(between(tuned, tuned + shift)).value == pytest.approx(0.0, abs=1e-9)


def test_it_reads_torch_tensors() -> None:
    tuned, base = torch.randn(70, 9), torch.randn(70, 9)
    expected = torch.nn.functional.kl_div(
        base.log_softmax(1), tuned.log_softmax(1), reduction="batchmean", log_target=True
    )
    assert measure(between(tuned, base)).value == pytest.approx(float(expected), abs=1e-5)


def test_it_goes_from_the_tuned_model_to_the_base_and_not_back() -> None:
    tuned, base = np.log([[0.9, 0.1]]), np.log([[0.5, 0.5]])
    assert measure(between(tuned, base)).value == pytest.approx(0.9 * math.log(1.8) + 0.1 * math.log(0.2))
    assert measure(between(base, tuned)).value != measure(between(tuned, base)).value


def test_it_leaves_out_tokens_that_the_tuned_model_rules_out() -> None:
    assert measure(between([[0.0, -math.inf]], [[0.0, 0.0]])).value == pytest.approx(math.log(2))
    assert measure(between([[0.0, -math.inf]], [[0.0, -math.inf]])).value == 0.0


@pytest.mark.parametrize(
    ("tuned", "base", "why"),
    [
        ([[0.0, 0.0]], [[0.0, -math.inf]], "tokens.base_logits[0] rules out a token"),
        ([[0.0, 0.0]], [[0.0, 0.0, 0.0]], "logits has the shape (1, 2), base_logits (1, 3)"),
        ([[0.0, 0.0]], [[0.0, math.nan]], "tokens.base_logits[0][1] is nan"),
        ([[0.0, 0.0]], None, "It takes the full logits"),
        (np.empty((0, 2)), np.empty((0, 2)), "The answer has no tokens"),
    ],
)
def test_it_is_none_and_says_why(tuned: Any, base: Any, why: str) -> None:
    found = measure(between(tuned, base))
    assert found.value is None
    assert found.why.startswith(why)


def test_it_takes_divergences_that_a_gateway_found() -> None:
    assert measure(Sample("Yes.", tokens=AnswerScores(divergences=[0.5, 1.5]))).value == 1.0
    wrong = measure(Sample("Yes.", tokens=AnswerScores(divergences=[0.5, math.inf])))
    assert (wrong.value, wrong.why) == (None, "tokens.divergences[1] is inf, not a number of nats.")


def test_it_calls_the_middle_band_healthy() -> None:
    assert (BANDS[1].start, BANDS[2].start) == HEALTHY
