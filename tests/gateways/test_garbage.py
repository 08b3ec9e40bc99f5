"""Whatever JSON a server sends, there is a reply that can be stored or a GatewayError, and nothing else."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import parameters
from scoring.gateway_contract import GatewayError, Reply, Target
from scoring.gateways import ollama, openai_compatible
from scoring.wire import exchange
from scoring.wire.replies import reply

NAMES = (
    "message content text refusal reasoning finish_reason logprobs token_logprobs top_logprobs logprob error "
    "code usage prompt_tokens completion_tokens response thinking done_reason eval_count model timings"
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(alphabet=st.characters(codec=None), max_size=5)
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES.split()), inner, max_size=6)
    ),
    max_leaves=30,
)
SETTINGS = parameters.read({})


def stored(made: Reply) -> None:
    """Put a reply as PostgreSQL would have to take it."""
    text = json.dumps(asdict(made), allow_nan=False, ensure_ascii=False)
    text.encode()
    assert "\\u0000" not in text


def understood(data: Any) -> exchange.Exchanged:
    body = json.dumps(data).encode()
    return exchange._understood(Target("m"), httpx.Response(200), body, True, 0.1)


@settings(max_examples=300)
@given(choice=ANYTHING, usage=ANYTHING, rest=ANYTHING)
def test_it_survives_any_reply_of_an_openai_compatible_server(choice: Any, usage: Any, rest: Any) -> None:
    with suppress(GatewayError):
        came = understood({"choices": [choice], "usage": usage, "error": None, "model": rest, "id": rest})
        stored(openai_compatible._reply(came, Target("m"), SETTINGS, ()))


@settings(max_examples=300)
@given(message=ANYTHING, logprobs=ANYTHING, rest=ANYTHING)
def test_it_survives_any_reply_of_an_ollama_server(message: Any, logprobs: Any, rest: Any) -> None:
    with suppress(GatewayError):
        came = understood({"message": message, "logprobs": logprobs, "done_reason": rest, "model": rest})
        stored(reply(came, ollama._parts(came), Target("m"), None))


@settings(max_examples=300)
@given(status=st.sampled_from([302, 400, 401, 404, 429, 500]), data=ANYTHING)
def test_it_survives_any_error(status: int, data: Any) -> None:
    body = json.dumps({"error": data}).encode()
    with pytest.raises(GatewayError) as caught:
        exchange._understood(Target("m"), httpx.Response(status), body, True, 0.1)
    caught.value.message.encode()
    assert "\0" not in caught.value.message
