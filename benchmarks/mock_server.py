"""Requests of the OpenAI and Ollama interfaces go in, prompt answers of a model that does not exist come out.

`python -m benchmarks.mock_server --port 0 --latency 0.5` prints its address and serves until it is stopped.
It answers on loopback alone, after a fixed time, breaks where it is told to (`mock_faults`), and counts:

    GET  /counts            requests, answers, the most in flight, how often the most repeated prompt came
    GET  /counts?prompts=1  the same, and how often each prompt came
    GET  /last              the body of the last prompt, as it came
    POST /control           {"latency": 0.1, "down": false, "faults": [{"fault": "status=503", "times": 3}]}
    POST /reset             no faults, all counts at zero
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket as sockets
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

from benchmarks import mock_answers, mock_faults

MODELS = ("mock-small", "mock-large")
_ASKS = {"/v1/chat/completions", "/v1/completions", "/api/chat", "/api/generate"}


@dataclass
class Mock:
    """The state of one server: what it was told, and what it has counted."""

    latency: float = 0.0
    words: int = 40
    down: bool = False
    key: str = ""
    rules: list[mock_faults.Rule] = field(default_factory=list)
    prompts: Counter[str] = field(default_factory=Counter)
    last: Mapping[str, Any] = field(default_factory=dict)
    requests: int = 0
    answers: int = 0
    faults: int = 0
    broken_off: int = 0
    in_flight: int = 0
    most_in_flight: int = 0
    connections: int = 0

    def begin(self, prompt: str, body: Mapping[str, Any]) -> None:
        """Count a request that has come in."""
        self.last = body
        self.requests += 1
        self.prompts[prompt] += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)

    def fault(self, prompt: str) -> mock_faults.Fault | None:
        """Find what shall go wrong with this prompt."""
        struck = next((rule.fault for rule in self.rules if rule.strikes(prompt)), None)
        return struck or mock_faults.marked(prompt)

    def counts(self, *, prompts: bool) -> dict[str, Any]:
        """Say what has been counted."""
        names = ("requests", "answers", "faults", "broken_off", "in_flight", "most_in_flight", "connections")
        counted: dict[str, Any] = {name: getattr(self, name) for name in names}
        counted["prompts"] = len(self.prompts)
        counted["most_per_prompt"] = max(self.prompts.values(), default=0)
        return counted | ({"per_prompt": self.prompts} if prompts else {})

    def control(self, orders: Mapping[str, Any]) -> None:
        """Take orders; those not given stay as they are."""
        self.latency = float(orders.get("latency", self.latency))
        self.words = int(orders.get("words", self.words))
        self.down = bool(orders.get("down", self.down))
        self.key = str(orders.get("key", self.key))
        for rule in orders.get("faults", ()):
            self.rules.append(mock_faults.Rule(**rule | {"fault": mock_faults.parse(rule["fault"])}))

    def reset(self) -> None:
        """Forget all faults and counts; requests still in flight stay counted as such."""
        self.rules, self.prompts, self.down = [], Counter(), False
        self.requests = self.answers = self.faults = self.broken_off = 0
        self.most_in_flight = self.in_flight


class Connection(asyncio.Protocol):
    """One connection: a request, its answer, the next request."""

    def __init__(self, mock: Mock) -> None:
        self._mock = mock
        self._loop = asyncio.get_running_loop()
        self._buffer = b""
        self._pending: asyncio.TimerHandle | None = None
        self._asking = False
        self._transport: asyncio.Transport

    @property
    def socket(self) -> Any:
        return self._transport.get_extra_info("socket")

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.socket.setsockopt(sockets.IPPROTO_TCP, sockets.TCP_NODELAY, 1)
        self._mock.connections += 1
        if self._mock.down:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._mock.connections -= 1
        if self._pending:
            self._pending.cancel()
        if self._asking:
            self._mock.broken_off += 1
            self._finish()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self._buffer[:end].decode("latin-1")
        lines = head.split("\r\n")
        headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
        }
        size = int(headers.get("content-length", 0))
        if len(self._buffer) < end + 4 + size:
            return
        body = self._buffer[end + 4 : end + 4 + size]
        self._buffer = self._buffer[end + 4 + size :]
        method, path, _ = lines[0].split(" ", 2)
        self._route(method, path, body, headers)

    def _route(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> None:
        if method == "POST" and path in _ASKS:
            self._ask(path, json.loads(body), headers)
        elif (reply := _page(self._mock, path, body)) is not None:
            self.send(200, json.dumps(reply).encode())
        else:
            self.send(404, b'{"error": {"message": "There is nothing here.", "code": 404}}')

    def _ask(self, path: str, body: dict[str, Any], headers: Mapping[str, str]) -> None:
        prompt = mock_answers.prompt_of(path, body)
        self._mock.begin(prompt, body)
        self._asking = True
        if self._mock.key and headers.get("authorization") != f"Bearer {self._mock.key}":
            self.send(
                401,
                b'{"error": {"message": "Incorrect key: %s"}}' % headers.get("authorization", "").encode(),
            )
        elif body.get("model") not in MODELS:
            self._unknown_model(path, body.get("model"))
        else:
            later = self._mock.latency
            self._pending = self._loop.call_later(later, self._answer, path, body, prompt)

    def _unknown_model(self, path: str, model: Any) -> None:
        words = f"model '{model}' not found"
        error = {"message": words, "code": "model_not_found"} if path.startswith("/v1/") else words
        self.send(404, json.dumps({"error": error}).encode())

    def _answer(self, path: str, body: dict[str, Any], prompt: str) -> None:
        answer = mock_answers.answer(path, body, prompt, self._mock.words)
        if fault := self._mock.fault(prompt):
            self._mock.faults += 1
            mock_faults.strike(self, fault, answer)
        else:
            self._mock.answers += 1
            self.send(200, json.dumps(answer).encode())

    def send(
        self,
        status: int,
        body: bytes,
        *,
        kind: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Send a whole answer and wait for the next request."""
        self._finish()
        self.write(self.head(status, len(body), kind, headers) + body)

    def head(
        self,
        status: int,
        size: int,
        kind: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """Put the head of an answer together."""
        more = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        line = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
        return f"{line}Content-Type: {kind}\r\nContent-Length: {size}\r\n{more}\r\n".encode("latin-1")

    def write(self, data: bytes) -> None:
        """Send bytes as they are."""
        if not self._transport.is_closing():
            self._transport.write(data)

    def drip(self, data: bytes, seconds: float) -> None:
        """Send a byte at a time."""
        self.write(data[:1])
        if data[1:]:
            self._pending = self._loop.call_later(seconds, self.drip, data[1:], seconds)
        else:
            self._finish()

    def hang_up(self, *, abort: bool = False) -> None:
        """Close the connection, politely or not."""
        self._finish()
        if abort:
            self._transport.abort()
        else:
            self._transport.close()

    def _finish(self) -> None:
        self._mock.in_flight -= self._asking
        self._asking = False


def _page(mock: Mock, path: str, body: bytes) -> Any:
    """Answer whatever is not a prompt."""
    match path:
        case "/v1/models":
            meta = {"n_vocab": mock_answers.VOCABULARY}
            return {
                "object": "list",
                "data": [{"id": name, "object": "model", "meta": meta} for name in MODELS],
            }
        case "/api/tags":
            return {"models": [{"name": name, "model": name} for name in MODELS]}
        case "/api/show":
            return {"model_info": {"mock.vocab_size": mock_answers.VOCABULARY}}
        case "/api/version":
            return {"version": "0.0.0"}
        case "/health":
            return {"status": "ok"}
        case "/counts" | "/counts?prompts=1":
            return mock.counts(prompts="?" in path)
        case "/last":
            return mock.last
        case "/control":
            mock.control(json.loads(body))
            return {}
        case "/reset":
            mock.reset()
            return {}
    return None


@asynccontextmanager
async def serving(port: int = 0, **state: Any) -> AsyncIterator[tuple[str, Mock]]:
    """Serve inside this event loop; give the address and the state."""
    mock = Mock(**state)
    server = await asyncio.get_running_loop().create_server(
        lambda: Connection(mock), "127.0.0.1", port, backlog=1024
    )
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", mock


@dataclass(frozen=True)
class Remote:
    """A mock server in a process of its own."""

    url: str
    process: subprocess.Popen[str]

    def counts(self, *, prompts: bool = False) -> dict[str, Any]:
        """Ask what it has counted."""
        return self._call("/counts?prompts=1" if prompts else "/counts")

    def last(self) -> dict[str, Any]:
        """Ask for the body of the last prompt."""
        return self._call("/last")

    def control(self, **orders: Any) -> None:
        """Give it orders."""
        self._call("/control", orders)

    def reset(self) -> None:
        """Make it forget."""
        self._call("/reset", {})

    def _call(self, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        # No proxy of the environment stands between us and loopback.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(self.url + path, data, timeout=10) as reply:
            return dict(json.load(reply))


@contextmanager
def running(*arguments: str) -> Iterator[Remote]:
    """Serve from a process of its own, which ends when we do, however we end."""
    command = [sys.executable, "-m", "benchmarks.mock_server", "--until-stdin-closes", *arguments]
    root = Path(__file__).resolve().parents[1]
    with subprocess.Popen(
        command, cwd=root, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        try:
            yield Remote(process.stdout.readline().strip(), process)
        finally:
            process.terminate()


async def _main(options: argparse.Namespace) -> None:
    state = {"latency": options.latency, "words": options.words, "key": options.key}
    async with serving(options.port, **state) as (url, _):
        print(url, flush=True)
        if options.until_stdin_closes:
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        else:
            await asyncio.Event().wait()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Serve a mock model on loopback.")
    parser.add_argument("--port", type=int, default=0, help="0: any free port; the address is printed")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--words", type=int, default=40, help="words in each answer")
    parser.add_argument("--key", default="", help="refuse requests without this key")
    parser.add_argument("--until-stdin-closes", action="store_true", help="end with whoever started it")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        asyncio.run(_main(_options()))
    except KeyboardInterrupt:
        sys.exit(130)
