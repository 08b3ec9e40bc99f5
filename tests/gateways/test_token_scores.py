"""Log-probabilities as servers write them, and as they should not."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

import pytest

from scoring.wire import token_scores


def entry(logprob: Any, *tops: Any) -> dict[str, Any]:
    return {"token": "x", "logprob": logprob, "top_logprobs": [{"logprob": top} for top in tops]}


def test_it_reads_chat_completion_and_ollama_alike() -> None:
    chat = {"content": [entry(-0.5, -0.5, -1.25), entry(-0.25, -0.25, -2)]}
    completion = {
        "token_logprobs": [-0.5, -0.25],
        "top_logprobs": [{"a": -0.5, "b": -1.25}, {"a": -0.25, "c": -2}],
    }
    read = [token_scores.read(given, 9) for given in (chat, completion, chat["content"])]
    assert read[0] == read[1] == read[2]
    scores, notes = read[0]
    assert scores
    assert (scores.logprobs, scores.top_logprobs, notes) == (
        [-0.5, -0.25],
        [[-0.5, -1.25], [-0.25, -2.0]],
        (),
    )


@pytest.mark.parametrize("bad", [math.nan, -math.inf, 0.5, None, "-1", True, -(10**400), [], {}])
def test_it_leaves_all_out_when_one_is_no_log_probability(bad: Any) -> None:
    scores, notes = token_scores.read({"content": [entry(-0.5), entry(bad)]}, None)
    assert scores is None
    assert "left out" in notes[0]


@pytest.mark.parametrize("bad", [math.nan, 0.5, None, "-1"])
def test_it_leaves_only_the_likeliest_out_when_one_of_them_is_none(bad: Any) -> None:
    scores, notes = token_scores.read({"content": [entry(-0.5, -0.5, bad)]}, None)
    assert scores
    assert (scores.logprobs, scores.top_logprobs) == ([-0.5], None)
    assert "top" in notes[0]


def test_it_drops_tokens_that_are_ruled_out_and_forgives_rounding() -> None:
    scores, _ = token_scores.read([entry(1e-7, 1e-7, -math.inf, -20.0)], None)
    assert scores
    assert (scores.logprobs, scores.top_logprobs) == ([0.0], [[0.0, -20.0]])


@pytest.mark.parametrize("nothing", [None, {}, {"content": None}, "x", 7, [1], {"content": [None]}])
def test_it_knows_when_there_is_nothing(nothing: Any) -> None:
    assert token_scores.read(nothing, None) == (None, ())


@pytest.mark.parametrize("odd", [7, "x", True, [7], [None], [[]], {"a": 1}])
def test_it_survives_lists_of_the_wrong_kind(odd: Any) -> None:
    chat, _ = token_scores.read([{"logprob": -0.5, "top_logprobs": odd}], None)
    completion, _ = token_scores.read({"token_logprobs": [-0.5], "top_logprobs": odd}, None)
    assert chat
    assert completion
    assert (chat.logprobs, completion.logprobs) == ([-0.5], [-0.5])


def test_it_gives_what_json_can_hold() -> None:
    scores, _ = token_scores.read([entry(-0.123456789, -0.123456789)], 5)
    assert scores
    stored = json.loads(json.dumps(asdict(scores), allow_nan=False))
    assert stored["logprobs"] == [-0.123457]
