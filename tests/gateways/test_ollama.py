"""Addresses and fields of Ollama."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.mock_server import Remote
from scoring.gateway_contract import GatewayError
from scoring.gateways import ollama
from scoring.wire import concessions
from scoring.wire.exchange import Exchanged
from tests.gateways.conftest import put_to


@pytest.mark.parametrize("path", ["", "/", "/api", "/v1", "/api/"])
def test_it_takes_the_address_of_the_server_itself(path: str) -> None:
    assert ollama._root(f"http://127.0.0.1:11434{path}") == "http://127.0.0.1:11434"


def test_it_sends_parameters_as_options_under_their_names_there(mock: Remote) -> None:
    put_to(
        ollama,
        mock.url,
        "Hi.",
        temperature=0,
        max_tokens=9,
        context_tokens=8192,
        top_p=0.9,
        min_p=0.1,
        keep_alive="10m",
        think=False,
    )
    assert mock.last() == {
        "model": "mock-small",
        "messages": [{"role": "user", "content": "Hi."}],
        "stream": False,
        "truncate": False,
        "shift": False,
        "keep_alive": "10m",
        "think": False,
        "options": {"temperature": 0, "num_predict": 9, "num_ctx": 8192, "top_p": 0.9, "min_p": 0.1},
    }


def test_it_asks_for_no_more_tokens_than_the_server_lists(mock: Remote) -> None:
    put_to(ollama, mock.url, "Sure?", logprobs=True, top_logprobs=50)
    assert mock.last()["top_logprobs"] == 20


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("think", '"mock-small"_does_not_support_thinking'),
        ("format", "json:_cannot_unmarshal_object_into_Go_struct_field_ChatRequest.format_of_type_string"),
    ],
)
def test_it_asks_without_what_an_older_server_or_a_plainer_model_refuses(
    mock: Remote, monkeypatch: pytest.MonkeyPatch, field: str, message: str
) -> None:
    monkeypatch.setattr(concessions, "_refused", {})
    mock.control(faults=[{"fault": f"status=400 message={message}", "times": 1}])
    reply = put_to(ollama, mock.url, "Judge.", think=True, schema={"type": "object"})
    assert mock.last().keys() & {"think", "format"} == {"think", "format"} - {field}
    assert reply.notes[0].endswith("it was asked without.")


def test_it_keeps_the_durations(mock: Remote) -> None:
    assert put_to(ollama, mock.url, "How long?").raw == {
        "model": "mock-small",
        "total_duration": 5_000_000,
        "load_duration": 1_000_000,
        "prompt_eval_duration": 1_000_000,
        "eval_duration": 3_000_000,
    }


def test_it_keeps_reasoning_apart() -> None:
    parts = ollama._parts(Exchanged({"message": {"content": "Yes.", "thinking": "Let me see."}}, 0.1))
    assert (parts.said, parts.thought) == ("Yes.", "Let me see.")


@pytest.mark.parametrize("reason", ["load", "unload"])
def test_it_takes_a_model_that_was_only_loaded_for_no_answer(reason: str) -> None:
    data = {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": reason}
    with pytest.raises(GatewayError, match="answered nothing"):
        ollama._parts(Exchanged(data, 0.1))


@pytest.mark.parametrize("odd", [7, [1], "x", None, True])
def test_it_says_when_there_is_no_message(odd: Any) -> None:
    with pytest.raises(GatewayError, match="holds no answer"):
        ollama._parts(Exchanged({"message": odd}, 0.1))
