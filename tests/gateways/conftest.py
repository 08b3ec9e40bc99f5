"""A mock server in a process of its own, and one word to ask it through either gateway."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Protocol

import pytest

from benchmarks import mock_server
from scoring.gateway_contract import Prompt, Reply, Target
from scoring.registry import plugin


class Ask(Protocol):
    """Put words to the mock server; settings of the target by name, all others are parameters."""

    def __call__(self, words: str, /, **settings: Any) -> Reply: ...


@pytest.fixture(scope="session")
def started() -> Iterator[mock_server.Remote]:
    with mock_server.running() as remote:
        yield remote


@pytest.fixture
def mock(started: mock_server.Remote) -> Iterator[mock_server.Remote]:
    started.reset()
    yield started
    started.reset()


@pytest.fixture(params=["ollama", "openai_compatible"])
def gateway(request: pytest.FixtureRequest) -> ModuleType:
    return plugin("scoring.gateways", request.param)


@pytest.fixture
def ask(gateway: ModuleType, mock: mock_server.Remote) -> Ask:
    def put(words: str, /, **settings: Any) -> Reply:
        return put_to(gateway, mock.url, words, **settings)

    return put


def put_to(
    gateway: ModuleType,
    base_url: str,
    words: str,
    /,
    *,
    model: str = "mock-small",
    timeout_seconds: float = 20,
    key: str = "",
    schema: dict[str, Any] | None = None,
    sample: int = 1,
    **parameters: Any,
) -> Reply:
    """Ask once, with a client of one's own."""
    target = Target(model, base_url, parameters, timeout_seconds, key)
    prompt = Prompt([{"role": "user", "content": words}], schema, sample=sample)

    async def once() -> Reply:
        client = gateway.client(target)
        try:
            reply: Reply = await gateway.ask(client, target, prompt)
        finally:
            if client:
                await client.aclose()
        return reply

    return asyncio.run(once())
