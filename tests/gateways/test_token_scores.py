"""Log-probabilities as servers write them, and as they should not."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

import pytest

from scoring.gateway_contract import Reply, Target
from scoring.wire import token_scores
from scoring.wire.exchange import Exchanged
from scoring.wire.replies import Parts, reply


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


def tokens(*texts: str) -> list[dict[str, Any]]:
    """Give the tokens of a server, the n-th with a log-probability of -n."""
    return [
        {"token": text, "logprob": -number, "top_logprobs": [{"logprob": -number}]}
        for number, text in enumerate(texts, 1)
    ]


def replied(said: str, thought: str, logprobs: Any) -> Reply:
    return reply(Exchanged({}, 0.1), Parts(said, thought, logprobs=logprobs), Target("m"), None)


def test_it_knows_the_texts_of_the_tokens() -> None:
    completion = {"tokens": ["Ye", "s."], "token_logprobs": [-1, -2]}
    for given in (tokens("Ye", "s."), {"content": tokens("Ye", "s.")}, completion):
        assert replied("Yes.", "", given).token_texts == ["Ye", "s."]
    assert replied("Yes.", "", {"token_logprobs": [-1, -2]}).token_texts is None


@pytest.mark.parametrize(
    "given",
    [
        tokens("<think>", "Yes.", " Hm.", "</think>", "\n\n", "Ye", "s.", "<|im_end|>"),
        tokens("Hm, ", "is it a ", "Yes.", " or", "?", "Ye", "s."),
    ],
)
def test_it_scores_the_answer_without_its_reasoning(given: Any) -> None:
    found = replied("Yes.", "Yes. Hm.", given)
    assert found.tokens
    assert (found.tokens.logprobs, found.tokens.top_logprobs) == ([-6, -7], [[-6], [-7]])
    assert found.token_texts == ["Ye", "s."]


def test_it_scores_nothing_when_reasoning_and_answer_cannot_be_told_apart() -> None:
    found = replied("Yes.", "Hm.", tokens("?", "?"))
    assert found.tokens is None
    assert "do not tell the answer from the reasoning" in found.notes[0]


def test_it_keeps_the_scores_of_a_server_that_gives_those_of_the_answer_alone() -> None:
    found = replied("Yes.", "Hm.", tokens("Ye", "s."))
    assert found.tokens
    assert found.tokens.logprobs == [-1, -2]
