"""What both gateways over HTTP make of a server's answer."""

from __future__ import annotations

import asyncio
import json
import math
from types import ModuleType

import pytest

from benchmarks.mock_server import Remote
from scoring.gateway_contract import Prompt, Target
from tests.gateways.conftest import Ask

SCHEMA = {"type": "object", "properties": {"mark": {"type": "integer", "maximum": 5}}, "required": ["mark"]}


def test_it_gives_the_answer_with_its_counts_and_its_time(ask: Ask) -> None:
    reply = ask("Which port does SSH use?")
    assert len(reply.content.split()) == 40
    assert (reply.finish_reason, reply.prompt_tokens, reply.completion_tokens) == ("stop", 5, 40)
    assert 0 < reply.latency_seconds < 20
    assert not reply.truncated
    assert not reply.notes


def test_it_waits_for_a_slow_server(ask: Ask, mock: Remote) -> None:
    mock.control(latency=0.3)
    reply = ask("Slowly, please.")
    mock.control(latency=0)
    assert reply.latency_seconds >= 0.3


def test_it_gives_no_token_scores_unless_asked(ask: Ask) -> None:
    assert ask("Plain.").tokens is None


@pytest.mark.parametrize("completion", [False, True])
def test_it_reads_log_probabilities_and_the_likeliest_tokens(ask: Ask, completion: bool) -> None:
    tokens = ask("Sure?", completion=completion, logprobs=True, top_logprobs=2, vocabulary=1000).tokens
    assert tokens
    assert tokens.logprobs == [round(math.log(0.5), 6)] * 40
    assert tokens.top_logprobs == [[round(math.log(0.5), 6), round(math.log(0.25), 6)]] * 40
    assert tokens.vocabulary == 1000


def test_it_has_a_model_continue_a_text(ask: Ask, mock: Remote) -> None:
    reply = ask("Once upon a time", completion=True)
    assert reply.content
    assert mock.last()["prompt"] == "Once upon a time"


def test_it_asks_for_an_answer_by_a_schema(ask: Ask) -> None:
    assert json.loads(ask("Judge this.", schema=SCHEMA).content) == {"mark": 4}


def test_it_gives_each_sample_a_seed_of_its_own(ask: Ask, mock: Remote) -> None:
    ask("Again.", seed=7, sample=3)
    body = mock.last()
    assert body.get("seed", body.get("options", {}).get("seed")) == 9


def test_it_sends_half_a_character_as_it_is(ask: Ask, mock: Remote) -> None:
    assert ask("half \ud83d of it").content
    assert mock.last()["messages"][0]["content"] == "half \ud83d of it"


def test_it_keeps_its_connection_from_one_question_to_the_next(gateway: ModuleType, mock: Remote) -> None:
    target = Target("mock-small", mock.url)

    async def thrice() -> int:
        client = gateway.client(target)
        for _ in range(3):
            await gateway.ask(client, target, Prompt([{"role": "user", "content": "Still there?"}]))
        connections = int((await asyncio.to_thread(mock.counts))["connections"])
        await client.aclose()
        return connections

    assert asyncio.run(thrice()) == 2  # ours, and the one that asks for the count


def test_it_lists_what_is_served(gateway: ModuleType, mock: Remote) -> None:
    target = Target("", mock.url)

    async def listed() -> list[str]:
        async with gateway.client(target) as client:
            return list(await gateway.models(client, target))

    assert asyncio.run(listed()) == ["mock-large", "mock-small"]
