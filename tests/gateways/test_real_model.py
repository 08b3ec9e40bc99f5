"""A real language model, in a server of its own, asked as any other."""

from __future__ import annotations

import asyncio
import json
import math
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalportal.embedded import model
from scoring.gateway_contract import GatewayError, Probe, Target
from scoring.gateways import openai_compatible
from tests.gateways.conftest import put_to

ROOT = Path(__file__).resolve().parents[2]
VOCABULARY = 49152
pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(bool(model.missing()), reason=f"needs {' and '.join(model.missing())}"),
]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("model")
    port = model.choose_port(folder / "port")
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(model.command(port), cwd=ROOT, stdout=log, stderr=log)
    while not model.ready(port):
        assert process.poll() is None, (folder / "log").read_text()
        time.sleep(0.1)
    yield model.url(port)
    process.terminate()
    process.wait(20)


def test_it_answers_with_log_probabilities(url: str) -> None:
    settings: dict[str, Any] = {
        "temperature": 0,
        "max_tokens": 16,
        "logprobs": True,
        "top_logprobs": 50,
        "vocabulary": VOCABULARY,
    }
    reply = put_to(openai_compatible, url, "Name the capital of France.", model=model.NAME, **settings)
    assert "Paris" in reply.content
    assert reply.finish_reason == "stop"
    assert reply.tokens
    assert reply.tokens.logprobs
    assert len(reply.tokens.logprobs) in {reply.completion_tokens, (reply.completion_tokens or 0) - 1}
    for chosen, row in zip(reply.tokens.logprobs, reply.tokens.top_logprobs or (), strict=True):
        assert max(row) == pytest.approx(chosen)  # greedy: the likeliest token is the one
        assert sum(math.exp(value) for value in row) <= 1.001


def test_it_answers_the_same_again(url: str) -> None:
    first, second = (
        put_to(openai_compatible, url, "What is a firewall?", model=model.NAME, temperature=0, max_tokens=16)
        for _ in range(2)
    )
    assert first.content == second.content
    assert first.finish_reason == "length"
    assert first.completion_tokens == 16


def test_it_answers_by_a_schema(url: str) -> None:
    schema = {
        "type": "object",
        "properties": {"mark": {"type": "integer", "minimum": 1, "maximum": 5}},
        "required": ["mark"],
        "additionalProperties": False,
    }
    reply = put_to(
        openai_compatible, url, "Mark this from 1 to 5.", model=model.NAME, schema=schema, max_tokens=32
    )
    assert json.loads(reply.content)["mark"] in range(1, 6)
    assert not reply.notes


def test_it_continues_a_text(url: str) -> None:
    settings: dict[str, Any] = {
        "completion": True,
        "temperature": 0,
        "max_tokens": 8,
        "logprobs": True,
        "top_logprobs": 3,
    }
    reply = put_to(openai_compatible, url, "The capital of France is", model=model.NAME, **settings)
    assert "Paris" in reply.content
    assert reply.tokens


def test_it_refuses_a_prompt_that_does_not_fit(url: str) -> None:
    with pytest.raises(GatewayError) as caught:
        put_to(openai_compatible, url, "word " * 6000, model=model.NAME, max_tokens=8)
    assert (caught.value.kind, caught.value.permanent) == ("too_long", True)


def test_it_finds_out_what_the_model_gives(url: str) -> None:
    target = Target(model.NAME, url)

    async def probe() -> Probe:
        async with openai_compatible.client(target) as client:
            return await openai_compatible.probe(client, target)

    found = asyncio.run(probe())
    assert (found.answers, found.logprobs, found.vocabulary) == (True, True, VOCABULARY)
    assert found.models == (model.NAME,)
