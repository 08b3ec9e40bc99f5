"""Hallucination: the three parts, estimates and their bounds, bad input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import entropy

from scoring.gateway_contract import AnswerScores
from scoring.measurement import Sample, TokenScores
from scoring.metrics.hallucination import ASSUMED, ESTIMATE, measure, phrases, uncertainty

SURE = np.array([[0.0, -math.inf, -math.inf]])
UNSURE = np.zeros((4, 1000))


def of(response: str, **known: Any) -> Sample:
    return Sample(response, tokens=TokenScores(**known))


def value_of(sample: Sample) -> float:
    value = measure(sample).value
    assert value is not None
    return value


def test_it_weighs_its_parts() -> None:
    response = "Maybe it is. Maybe it is. It could be. Not sure."
    found = measure(of(response, logits=UNSURE))
    parts = found.evidence["parts"]
    assert parts == pytest.approx({"entropy": 1.0, "repetition": 2 / 9, "uncertainty": 1.0})
    assert found.value == pytest.approx(0.7 + 0.2 * 2 / 9 + 0.1)


def test_it_is_zero_for_a_sure_and_plain_answer() -> None:
    assert measure(of("Port 443 is open.", logits=SURE)).value == 0.0


def test_it_takes_an_answer_too_short_to_repeat_for_one_that_does_not() -> None:
    assert measure(of("Yes.", logits=UNSURE)).value == pytest.approx(0.7)


def test_it_reads_torch_tensors_of_any_precision_as_it_reads_numpy() -> None:
    logits = np.random.default_rng(1).normal(size=(40, 50)).astype(np.float32)
    exact = value_of(of("An answer of words.", logits=logits))
    batched = torch.tensor(logits, requires_grad=True)[None]
    assert value_of(of("An answer of words.", logits=batched)) == exact
    half = torch.tensor(logits).to(torch.bfloat16)
    assert value_of(of("An answer of words.", logits=half)) == pytest.approx(exact, abs=0.01)


@given(arrays(np.float64, (3, 7), elements=st.floats(-30, 30)))
def test_it_uses_the_entropy_that_scipy_finds(logits: Any) -> None:
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    expected = entropy(chances, axis=1).mean() / math.log(7)
    assert measure(of("Yes.", logits=logits)).value == pytest.approx(0.7 * expected, abs=1e-12)


def test_it_estimates_from_top_log_probabilities_and_says_so() -> None:
    top = [[math.log(0.5), math.log(0.25)], [0.0, -9999.0], []]
    found = measure(of("Yes.", top_logprobs=top, vocabulary=1002))
    first = 0.5 * math.log(2) + 0.5 * math.log(4)
    assert found.evidence["mean_entropy"] == pytest.approx(first / 2)
    assert found.evidence["mean_entropy_at_most"] == pytest.approx((first + 0.25 * math.log(1000)) / 2)
    assert found.flags == (ESTIMATE,)


def test_it_estimates_no_less_than_nothing_and_no_more_than_the_truth() -> None:
    logits = np.random.default_rng(2).normal(size=(20, 300), scale=3)
    logprobs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    top = [sorted(row, reverse=True)[:20] for row in logprobs.tolist()]
    exact = measure(of("Yes.", logits=logits)).evidence["mean_entropy"]
    estimate = measure(of("Yes.", top_logprobs=top, vocabulary=300)).evidence
    assert 0 < estimate["mean_entropy"] <= exact <= estimate["mean_entropy_at_most"]


def test_it_takes_entropies_that_a_gateway_found_for_exact() -> None:
    logits = np.random.default_rng(3).normal(size=(5, 60))
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    stored = AnswerScores(entropies=entropy(chances, axis=1).tolist(), vocabulary=60)
    found = measure(Sample("Yes.", tokens=stored))
    assert found.value == pytest.approx(value_of(of("Yes.", logits=logits)))
    assert found.flags == ()


def test_it_assumes_a_vocabulary_that_the_server_does_not_tell() -> None:
    found = measure(of("Yes.", top_logprobs=[[-0.5, -1.5]]))
    assert found.flags == (ESTIMATE, ASSUMED)
    assert found.evidence["vocabulary"] == 100_000


@pytest.mark.parametrize(
    ("known", "why"),
    [
        ({"logits": [[0.0, math.nan]]}, "tokens.logits[0][1] is nan"),
        ({"logits": [[0.0, 1.0], [math.inf, 0.0]]}, "tokens.logits[1][0] is inf"),
        ({"logits": [[-math.inf, -math.inf]]}, "tokens.logits[0] rules every token out"),
        ({"logits": [0.0, 1.0]}, "tokens.logits must be one row"),
        ({"logits": [[1.0]]}, "tokens.logits has a vocabulary of 1"),
        ({"logits": [["a", "b"]]}, "tokens.logits must hold numbers"),
        ({"top_logprobs": [[-0.1], [math.nan]]}, "tokens.top_logprobs[1][0] is nan"),
        ({"top_logprobs": [[-math.inf]]}, "tokens.top_logprobs[0][0] is -inf"),
        ({"top_logprobs": [[-0.1]], "vocabulary": 0}, "tokens.vocabulary has a vocabulary of 0"),
        ({"logits": np.empty((0, 5))}, "The model's server gave neither"),
        ({"top_logprobs": [[], []]}, "The model's server gave neither"),
        ({"logprobs": [-0.1]}, "The model's server gave neither"),
    ],
)
def test_it_is_none_and_names_what_is_wrong(known: dict[str, Any], why: str) -> None:
    found = measure(of("Yes.", **known))
    assert found.value is None
    assert found.why.startswith(why)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It MIGHT. It might. Maybe.", ["might", "maybe"]),
        ("mighty, unclearly, impossibly", []),
        ("It could\u00a0be,  possibly not  sure", ["could be", "possibly", "not sure"]),
        ("", []),
    ],
)
def test_it_looks_for_uncertain_phrases_as_whole_words(text: str, found: list[str]) -> None:
    assert phrases(text) == found
    assert uncertainty(text) == min(1, len(found) / 3)


def test_it_marks_every_uncertain_phrase() -> None:
    response = "Maybe  so; it could\u00a0be, maybe."
    spans = measure(of(response, logits=SURE)).spans
    assert [response[span.start : span.end] for span in spans] == ["Maybe", "could\u00a0be", "maybe"]
