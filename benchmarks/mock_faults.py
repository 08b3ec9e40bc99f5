"""The name of a fault goes in; the bytes, or the silence, that a broken server would send comes out.

A prompt that holds `[[drip]]` or `[[status=429 retry_after=2]]` is answered with that fault; so is whatever
a rule of the control page matches.
"""

from __future__ import annotations

import json
import re
import socket
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from benchmarks.mock_server import Connection

_MARKER = re.compile(r"\[\[([a-z_0-9]+(?:=[^\]\s]*)?(?: [a-z_]+=[^\]\s]*)*)\]\]")


class Fault(NamedTuple):
    """What goes wrong, and how: `status=429 retry_after=2` is ("status", {"status": "429", …})."""

    name: str
    settings: Mapping[str, str]


@dataclass
class Rule:
    """A fault for the prompts that hold `match`, as many `times` as it says, at every `every`-th of them."""

    fault: Fault
    match: str = ""
    times: int | None = None
    every: int = 1
    seen: int = 0

    def strikes(self, prompt: str) -> bool:
        """Say whether this prompt is hit, and count it."""
        if self.match not in prompt or self.times == 0:
            return False
        self.seen += 1
        if self.seen % self.every:
            return False
        if self.times is not None:
            self.times -= 1
        return True


def parse(words: str) -> Fault:
    """Read `name` or `name=value other=value`; the name must be one of those below."""
    parts = [word.partition("=") for word in words.split()]
    name = parts[0][0] if parts else ""
    if name not in _FAULTS:
        raise ValueError(f"There is no fault {name!r}; there are: {', '.join(sorted(_FAULTS))}.")
    return Fault(name, {key: value for key, _, value in parts})


def marked(prompt: str) -> Fault | None:
    """Find the fault that a prompt asks for."""
    if "[[" not in prompt:
        return None
    found = _MARKER.search(prompt)
    return parse(found[1]) if found else None


def strike(connection: Connection, fault: Fault, answer: dict[str, Any]) -> None:
    """Send what the fault makes of the answer."""
    _FAULTS[fault.name](connection, fault.settings, answer)


def _status(connection: Connection, settings: Mapping[str, str], _: dict[str, Any]) -> None:
    headers = {"Retry-After": settings["retry_after"].replace("_", " ")} if "retry_after" in settings else {}
    message = settings.get("message", "as asked").replace("_", " ")
    told = {"code": settings.get("code"), "param": settings.get("param"), "type": "mock"}
    body = {"error": {"message": message, **told}}
    connection.send(int(settings["status"]), json.dumps(body).encode(), headers=headers)


def _redirect(connection: Connection, settings: Mapping[str, str], _: dict[str, Any]) -> None:
    connection.send(
        302, b"", headers={"Location": settings.get("redirect") or "http://127.0.0.1:1/elsewhere"}
    )


def _html(connection: Connection, _: Mapping[str, str], __: dict[str, Any]) -> None:
    connection.send(200, b"<!doctype html><title>Sign in</title><p>Welcome", kind="text/html")


def _malformed(connection: Connection, _: Mapping[str, str], answer: dict[str, Any]) -> None:
    connection.send(200, json.dumps(answer).encode()[:-20])


def _no_choices(connection: Connection, _: Mapping[str, str], __: dict[str, Any]) -> None:
    connection.send(200, b'{"choices": [], "done": true}')


def _nested(connection: Connection, _: Mapping[str, str], __: dict[str, Any]) -> None:
    connection.send(200, b"[" * 200_000)


def _empty(connection: Connection, _: Mapping[str, str], answer: dict[str, Any]) -> None:
    connection.send(200, _with_content(answer, '""'))


def _null(connection: Connection, _: Mapping[str, str], answer: dict[str, Any]) -> None:
    connection.send(200, _with_content(answer, "null"))


def _nul(connection: Connection, _: Mapping[str, str], answer: dict[str, Any]) -> None:
    connection.send(200, _with_content(answer, r'"before\u0000after"'))


def _surrogate(connection: Connection, _: Mapping[str, str], answer: dict[str, Any]) -> None:
    connection.send(200, _with_content(answer, r'"before\ud83dafter"'))


def _bad_utf8(connection: Connection, _: Mapping[str, str], answer: dict[str, Any]) -> None:
    connection.send(200, _with_content(answer, '"before@after"').replace(b"before@", b"before\xff\xfe"))


def _big(connection: Connection, settings: Mapping[str, str], answer: dict[str, Any]) -> None:
    megabytes = int(settings.get("big") or 10)
    connection.send(200, _with_content(answer, '"' + "word " * (megabytes * 200_000) + '"'))


def _nan(connection: Connection, _: Mapping[str, str], answer: dict[str, Any]) -> None:
    connection.send(200, re.sub(rb'("logprob": )[-0-9.]+', rb"\1NaN", json.dumps(answer).encode(), count=1))


def _gzip(connection: Connection, _: Mapping[str, str], answer: dict[str, Any]) -> None:
    connection.send(200, json.dumps(answer).encode(), headers={"Content-Encoding": "gzip"})


def _cut(connection: Connection, _: Mapping[str, str], answer: dict[str, Any]) -> None:
    """Promise a whole answer, send half of it and hang up."""
    body = json.dumps(answer).encode()
    connection.write(connection.head(200, len(body)) + body[: len(body) // 2])
    connection.hang_up()


def _drip(connection: Connection, settings: Mapping[str, str], answer: dict[str, Any]) -> None:
    """Send a byte now and then, so that no single read ever times out."""
    body = json.dumps(answer).encode()
    connection.write(connection.head(200, len(body)))
    connection.drip(body, float(settings.get("drip") or 0.05))


def _hang(_: Connection, __: Mapping[str, str], ___: dict[str, Any]) -> None:
    """Say nothing, ever."""


def _reset(connection: Connection, _: Mapping[str, str], __: dict[str, Any]) -> None:
    linger = struct.pack("ii", 1, 0)
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    connection.hang_up(abort=True)


def _with_content(answer: dict[str, Any], literal: str) -> bytes:
    """Put a JSON literal, well-formed or not, where the answer's text stands."""
    mark = "@@content@@"
    for holder, name in (
        ((answer.get("choices") or [{}])[0].get("message"), "content"),
        ((answer.get("choices") or [{}])[0], "text"),
        (answer.get("message"), "content"),
        (answer, "response"),
    ):
        if isinstance(holder, dict) and name in holder:
            holder[name] = mark
    return json.dumps(answer).replace(f'"{mark}"', literal).encode()


_FAULTS: dict[str, Callable[[Connection, Mapping[str, str], dict[str, Any]], None]] = {
    "status": _status,
    "redirect": _redirect,
    "html": _html,
    "malformed": _malformed,
    "no_choices": _no_choices,
    "nested": _nested,
    "empty": _empty,
    "null": _null,
    "nul": _nul,
    "surrogate": _surrogate,
    "bad_utf8": _bad_utf8,
    "big": _big,
    "nan": _nan,
    "gzip": _gzip,
    "cut": _cut,
    "drip": _drip,
    "hang": _hang,
    "reset": _reset,
}
