"""Addresses, fields and refusals of OpenAI-compatible servers."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from benchmarks.mock_server import Remote
from scoring import parameters
from scoring.gateway_contract import GatewayError, Reply, Target
from scoring.gateways import openai_compatible
from scoring.wire import concessions, exchange
from scoring.wire.exchange import Exchanged
from tests.gateways.conftest import put_to

SCHEMA = {"type": "object", "properties": {}}


@pytest.fixture(autouse=True)
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concessions, "_refused", {})


@pytest.mark.parametrize(
    ("given", "root"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000/v1"),
        ("https://host/api/v1", "https://host/api/v1"),
        ("https://host/openai", "https://host/openai/v1"),
        ("https://host/v1beta/openai", "https://host/v1beta/openai"),
    ],
)
def test_it_adds_the_version_to_an_address_that_has_none(given: str, root: str) -> None:
    assert openai_compatible._root(given) == root


def test_it_sends_the_parameters_and_leaves_others_to_the_server(mock: Remote) -> None:
    put_to(
        openai_compatible, mock.url, "Hi.", temperature=0.2, max_tokens=9, stop="\n", top_k=40, vocabulary=5
    )
    assert mock.last() == {
        "model": "mock-small",
        "messages": [{"role": "user", "content": "Hi."}],
        "temperature": 0.2,
        "max_tokens": 9,
        "stop": ["\n"],
        "stream": False,
        "top_k": 40,
    }


@pytest.mark.parametrize("message", ["response_format_is_not_supported", "no"])
def test_it_asks_without_a_schema_when_the_server_refuses_it(mock: Remote, message: str) -> None:
    mock.control(faults=[{"fault": f"status=400 message={message}", "times": 1}])
    reply = put_to(openai_compatible, mock.url, "Judge.", schema=SCHEMA)
    assert "response_format" not in mock.last()
    assert reply.notes == ("The server takes no JSON schema; it was asked without.",)


def test_it_remembers_what_a_server_refuses(mock: Remote) -> None:
    mock.control(faults=[{"fault": "status=400 message=logprobs_are_not_supported", "times": 1}])
    replies = [put_to(openai_compatible, mock.url, "Sure?", logprobs=True, top_logprobs=5) for _ in range(3)]
    assert mock.counts()["requests"] == 4
    assert {reply.tokens for reply in replies} == {None}
    assert {"refuses to give log-probabilities" in reply.notes[0] for reply in replies} == {True}


def test_it_takes_the_newer_name_of_a_field(mock: Remote) -> None:
    mock.control(faults=[{"fault": "status=400 code=max_completion_tokens", "times": 1}])
    reply = put_to(openai_compatible, mock.url, "Short.", max_tokens=9)
    assert mock.last()["max_completion_tokens"] == 9
    assert "max_tokens" not in mock.last()
    assert not reply.notes


def test_it_leaves_nothing_out_that_changes_the_question(mock: Remote) -> None:
    mock.control(faults=[{"fault": "status=400 message=top_k_is_not_supported"}])
    with pytest.raises(GatewayError, match="top k is not supported") as caught:
        put_to(openai_compatible, mock.url, "Hi.", top_k=40)
    assert caught.value.kind == "refused"
    assert mock.counts()["requests"] == 1


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("temperature", "Unsupported_value:_'temperature'_does_not_support_0.0_with_this_model."),
        ("top_p", "Unsupported_parameter,_which_is_not_supported_with_this_model."),
        ("temperature", "`temperature`_is_deprecated_for_this_model."),
    ],
)
def test_it_asks_without_what_a_reasoning_model_sets_itself(mock: Remote, field: str, message: str) -> None:
    mock.control(faults=[{"fault": f"status=400 message={message} param={field}", "times": 1}])
    replies = [put_to(openai_compatible, mock.url, "Hi.", temperature=0, top_p=0.5) for _ in range(2)]
    assert mock.last().keys() & {"temperature", "top_p"} == {"temperature", "top_p"} - {field}
    assert mock.counts()["requests"] == 3
    note = f"The server takes no {field} but its own; it was asked without."
    assert {reply.notes for reply in replies} == {(note,)}


def test_it_keeps_a_temperature_that_is_out_of_range_an_error(mock: Remote) -> None:
    mock.control(faults=[{"fault": "status=400 message=temperature_must_be_between_0_and_2"}])
    with pytest.raises(GatewayError, match="between 0 and 2"):
        put_to(openai_compatible, mock.url, "Hi.", temperature=9)


def test_it_forgets_a_refusal_that_had_another_reason(mock: Remote) -> None:
    mock.control(faults=[{"fault": "status=400 message=policy", "match": "Forbidden"}])
    with pytest.raises(GatewayError, match="policy"):
        put_to(openai_compatible, mock.url, "Forbidden.", schema=SCHEMA)
    reply = put_to(openai_compatible, mock.url, "Judge.", schema=SCHEMA)
    assert "response_format" in mock.last()
    assert not reply.notes


@pytest.mark.parametrize("completion", [False, True])
@pytest.mark.parametrize(("limit", "refusals"), [(20, 1), (5, 2)])
def test_it_asks_for_fewer_of_the_likeliest_tokens_before_none(
    mock: Remote, completion: bool, limit: int, refusals: int
) -> None:
    message = f"Requested_logprobs_are_more_than_the_{limit}_allowed."
    mock.control(faults=[{"fault": f"status=400 message={message}", "times": refusals}])
    asked: dict[str, Any] = {"completion": completion, "logprobs": True, "top_logprobs": 50}
    replies = [put_to(openai_compatible, mock.url, "Sure?", **asked) for _ in range(2)]
    assert mock.counts()["requests"] == refusals + 2
    for reply in replies:
        assert reply.tokens
        assert reply.tokens.top_logprobs
        assert len(reply.tokens.top_logprobs[0]) == limit
        assert reply.notes[0].endswith(f"it was asked for {limit}.")


def read(message: dict[str, Any], **choice: Any) -> Reply:
    data = {"choices": [{"message": message, **choice}]}
    return openai_compatible._reply(Exchanged(data, 0.1), Target("m"), parameters.read({}), ())


def test_it_reads_content_in_parts_refusals_and_reasoning() -> None:
    parts = [{"type": "text", "text": "one "}, {"type": "image"}, {"type": "text", "text": "two"}]
    assert read({"content": parts}).content == "one two"
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    assert read({"content": [thinking, "three"]}).content == "three"
    assert read({"content": None, "refusal": "I cannot."}).content == "I cannot."
    assert read({"content": "Yes.", "reasoning": "So."}).reasoning == "So."
    assert read({"content": "Yes.", "reasoning_content": "Let me see."}).reasoning == "Let me see."


def test_it_says_who_ended_an_answer_that_the_model_did_not_end() -> None:
    assert "content filter" in read({"content": None}, finish_reason="content_filter").notes[0]
    spent = read({"content": "", "reasoning_content": "Let me see"}, finish_reason="length")
    assert "give it more max_tokens" in spent.notes[0]
    assert not read({"content": "Cut", "reasoning_content": "So"}, finish_reason="length").notes


@pytest.mark.parametrize("odd", [7, [1], {"a": []}, "x", None, True])
def test_it_survives_fields_of_the_wrong_kind(odd: Any) -> None:
    data = {"choices": [{"message": odd, "finish_reason": odd, "logprobs": odd}], "usage": odd, "id": odd}
    reply = openai_compatible._reply(Exchanged(data, 0.1), Target("m"), parameters.read({}), ())
    assert (reply.content, reply.prompt_tokens, reply.tokens) == ("", None, None)


def test_it_takes_an_error_that_comes_in_place_of_an_answer() -> None:
    error = {"code": 502, "message": "The upstream is gone."}
    with pytest.raises(GatewayError, match="upstream is gone") as caught:
        read({"content": "Half an"}, finish_reason="error", error=error)
    assert (caught.value.kind, caught.value.permanent) == ("server_error", False)


def test_it_takes_an_error_that_comes_as_a_success() -> None:
    body = b'{"error": {"code": 429, "message": "slow down"}}'
    with pytest.raises(GatewayError, match="slow down") as caught:
        exchange._understood(Target("m"), httpx.Response(200), body, True, 0.1)
    assert caught.value.kind == "rate_limited"
