"""The mock server counts what the tests of runs rely on."""

from __future__ import annotations

import asyncio

import pytest

from benchmarks import mock_faults, mock_server
from scoring.gateway_contract import GatewayError, Prompt, Target
from scoring.gateways import openai_compatible
from tests.gateways.conftest import put_to


def test_it_counts_prompts_and_the_most_in_flight() -> None:
    async def counted() -> dict[str, object]:
        async with mock_server.serving(latency=0.2) as (url, mock):
            target = Target("mock-small", url)
            clients = [openai_compatible.client(target) for _ in range(5)]
            prompts = [Prompt([{"role": "user", "content": words}]) for words in "abcaa"]
            pairs = zip(clients, prompts, strict=True)
            await asyncio.gather(*(openai_compatible.ask(client, target, prompt) for client, prompt in pairs))
            for client in clients:
                await client.aclose()
            return mock.counts(prompts=True)

    counts = asyncio.run(counted())
    assert (counts["requests"], counts["answers"], counts["most_in_flight"], counts["in_flight"]) == (
        5,
        5,
        5,
        0,
    )
    assert (counts["prompts"], counts["most_per_prompt"]) == (3, 3)
    assert counts["per_prompt"] == {"a": 3, "b": 1, "c": 1}


def test_it_breaks_as_often_as_a_rule_says(mock: mock_server.Remote) -> None:
    mock.control(faults=[{"fault": "status=503", "match": "odd", "every": 2}])
    heard: list[str] = []
    for _ in range(4):
        try:
            put_to(openai_compatible, mock.url, "an odd one")
        except GatewayError as error:
            heard.append(error.kind)
        else:
            heard.append("answered")
    assert heard == ["answered", "server_error"] * 2


def test_it_is_down_until_it_is_up_again(mock: mock_server.Remote) -> None:
    async def asked() -> list[str]:
        async with mock_server.serving() as (url, state):
            target = Target("mock-small", url)
            heard: list[str] = []
            for state.down in (True, False):
                async with openai_compatible.client(target) as client:
                    try:
                        await openai_compatible.ask(
                            client, target, Prompt([{"role": "user", "content": "?"}])
                        )
                    except GatewayError as error:
                        heard.append(error.kind)
                    else:
                        heard.append("answered")
            return heard

    assert asyncio.run(asked()) == ["connection", "answered"]


def test_it_knows_no_other_faults() -> None:
    with pytest.raises(ValueError, match="There is no fault 'drop'"):
        mock_faults.parse("drop")


def test_it_ends_with_whoever_started_it() -> None:
    with mock_server.running() as remote:
        assert remote.process.stdin
        remote.process.stdin.close()
        assert remote.process.wait(10) == 0
