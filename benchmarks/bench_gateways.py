"""Prompts go to a mock server through a gateway; the processor's time for each of them comes out.

`python -m benchmarks.bench_gateways` compares one client per request in flight, as runs have it, with one
client that all of them share, and says how many prompts the mock server itself takes in a second.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import httpx

import scoring.engine.slots  # noqa: F401 (what it sets up for the HTTP library counts)
from benchmarks import mock_server
from benchmarks.table import Row, print_table
from scoring.gateway_contract import Prompt, Target
from scoring.gateways import openai_compatible

REQUESTS = 1000
LATENCY = 0.5
_PROMPT = Prompt([{"role": "user", "content": "Which clause applies, and why? " * 20}])


def measure() -> list[Row]:
    """Measure both at 100 and at 200 in flight, and the mock server."""
    rows = []
    with mock_server.running("--latency", str(LATENCY)) as server:
        target = Target("mock-small", server.url, {"temperature": 0, "max_tokens": 512})
        for most in (100, 200):
            own = asyncio.run(_own(target, most))
            shared = asyncio.run(_shared(target, most))
            figure = f"{own:.1f} ms of CPU (shared client: {shared:.1f} ms)"
            rows.append(Row(f"a prompt through a gateway, {most} in flight", figure, "≤ 2.7 ms", own <= 2.7))
    rate = asyncio.run(_mock_rate())
    rows.append(Row("the mock server", f"{rate:,.0f} prompts/s", "≥ 3,000", rate >= 3000))
    return rows


async def _own(target: Target, most: int) -> float:
    clients = [openai_compatible.client(target) for _ in range(most)]
    return await _milliseconds(clients, target, REQUESTS)


async def _shared(target: Target, most: int) -> float:
    limits = httpx.Limits(max_connections=most, max_keepalive_connections=most)
    client = httpx.AsyncClient(limits=limits, timeout=60, trust_env=False)
    return await _milliseconds([client] * most, target, REQUESTS // 2)


async def _milliseconds(clients: Sequence[httpx.AsyncClient], target: Target, requests: int) -> float:
    """Ask once with every client to open its connection, then measure."""
    await _ask(clients, target, len(clients))
    started = time.process_time()
    await _ask(clients, target, requests)
    took = 1000 * (time.process_time() - started) / requests
    for client in set(clients):
        await client.aclose()
    return took


async def _ask(clients: Sequence[httpx.AsyncClient], target: Target, requests: int) -> None:
    left = iter(range(requests))

    async def one_after_another(client: httpx.AsyncClient) -> None:
        for _ in left:
            await openai_compatible.ask(client, target, _PROMPT)

    await asyncio.gather(*(one_after_another(client) for client in clients))


async def _mock_rate() -> float:
    """Serve in this process and talk to it as plainly as one can: server and client share one core."""
    body = b'{"model": "mock-small", "messages": [{"role": "user", "content": "Hello."}]}'
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: mock\r\nContent-Length: %d\r\n\r\n" % len(body)
    async with mock_server.serving() as (url, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        started = time.process_time()
        for _ in range(REQUESTS):
            writer.write(head + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(answer.partition(b"Content-Length: ")[2].split(b"\r")[0]))
        took = time.process_time() - started
        writer.close()
    return REQUESTS / took


if __name__ == "__main__":
    print_table(measure())
