"""A client, a Target and a body go in; the JSON object that the server sent back comes out."""

from __future__ import annotations

import asyncio
import json
import re
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import httpx

from scoring.addresses import AddressError
from scoring.gateway_contract import GatewayError, Target
from scoring.wire.refusals import RefusalError, refusal

_MOST_BYTES = 8 * 2**20
# One log-probability with its token, as JSON; servers that add the token's bytes need this much.
_BYTES_PER_LOGPROB = 250
_JSON = {"Content-Type": "application/json"}
_CONTENT = re.compile(r'"(?:content|text|response)"\s*:\s*"((?:[^"\\]++|\\.)*+)', re.DOTALL)
_REPLACED = "The answer was not valid UTF-8; the bytes that are not were replaced."


@dataclass(frozen=True, slots=True)
class Exchanged:
    """The JSON object that came back; of one too long to be read whole, only the `beginning` of its text."""

    data: Mapping[str, Any]
    seconds: float
    notes: tuple[str, ...] = ()
    beginning: bool = False


async def post(
    client: httpx.AsyncClient, target: Target, url: str, body: Mapping[str, Any], *, logprobs: int = 0
) -> Exchanged:
    """Send a JSON object; the reply may be longer by so many log-probabilities."""
    try:
        # Escapes throughout: half a character in a prompt could not be sent otherwise.
        content = json.dumps(body, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise GatewayError("bad_parameters", f"The parameters are not JSON: {error}.") from None
    request = client.build_request("POST", _url(url), content=content, headers=_JSON)
    return await _exchange(client, target, request, _MOST_BYTES + _BYTES_PER_LOGPROB * logprobs)


async def get(client: httpx.AsyncClient, target: Target, url: str) -> Exchanged:
    """Fetch a JSON object."""
    return await _exchange(client, target, client.build_request("GET", _url(url)), _MOST_BYTES)


@lru_cache(maxsize=256)
def _url(url: str) -> httpx.URL:
    return httpx.URL(url)


async def _exchange(
    client: httpx.AsyncClient, target: Target, request: httpx.Request, most: int
) -> Exchanged:
    started = time.perf_counter()
    try:
        # A deadline for all of it: a server that sends a byte now and then never misses one for a read.
        async with asyncio.timeout(target.timeout_seconds):
            response = await client.send(request, stream=True)
            try:
                body, whole = await _read(response, most)
            finally:
                await response.aclose()
    except TimeoutError:
        raise _late(target) from None
    except AddressError as error:
        raise GatewayError("wrong_address", str(error)) from None
    except httpx.TransportError as error:
        raise _broken(request.url, error) from None
    return _understood(target, response, body, whole, time.perf_counter() - started)


async def _read(response: httpx.Response, most: int) -> tuple[bytes, bool]:
    """Read the body up to a limit; say whether that was all of it."""
    if response.headers.get("content-encoding", "identity") != "identity":
        if response.is_error:
            return b"", True
        raise GatewayError("bad_reply", "The server compressed its reply though asked not to.")
    pieces, size = [], 0
    async for piece in response.aiter_raw():
        pieces.append(piece)
        size += len(piece)
        if size > most:
            return b"".join(pieces)[:most], False
    return b"".join(pieces), True


def _understood(
    target: Target, response: httpx.Response, body: bytes, whole: bool, seconds: float
) -> Exchanged:
    text, notes = _decoded(body)
    status = response.status_code
    if status not in range(200, 300):
        raise refusal(status, response.headers, text, secret=target.key, model=target.model)
    if not whole:
        return Exchanged({"text": _salvaged(text)}, seconds, (*notes, _longer(len(body))), beginning=True)
    data = _parsed(text)
    if data.get("error"):  # some services send their errors as successes
        raise told(data, target, response.headers)
    return Exchanged(data, seconds, notes)


def told(data: Mapping[str, Any], target: Target, headers: Mapping[str, str] | None = None) -> RefusalError:
    """Make an error of an object that holds one, with the status that it names itself."""
    code = data["error"].get("code") if isinstance(data["error"], dict) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    body = json.dumps({"error": data["error"]})
    return refusal(status, headers or {}, body, secret=target.key, model=target.model)


def _decoded(body: bytes) -> tuple[str, tuple[str, ...]]:
    try:
        return body.decode("utf-8-sig"), ()
    except UnicodeDecodeError:
        return body.decode("utf-8-sig", "replace"), (_REPLACED,)


def _parsed(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if isinstance(data, dict):
        return data
    if text.lstrip()[:1] == "<":
        message = "A web page came back instead of JSON: check the address."
    else:
        message = "The server's reply is not the JSON object that it should be."
    raise GatewayError("bad_reply", message, permanent=False)


def _salvaged(text: str) -> str:
    """Take the text out of the beginning of a JSON object that was cut inside it."""
    found = _CONTENT.search(text)
    literal = found[1] if found else ""
    for spare in range(min(len(literal), 12) + 1 if found else 0):  # an escape may be cut in the middle
        try:
            return str(json.loads(f'"{literal[: len(literal) - spare]}"', strict=False))
        except ValueError:
            continue
    raise GatewayError("bad_reply", "The server's reply is longer than any answer, and holds none.")


def _longer(size: int) -> str:
    return f"The reply was longer than {size / 2**20:.0f} MB; the rest was not read."


def _late(target: Target) -> GatewayError:
    seconds = f"{target.timeout_seconds:g}"
    return GatewayError("timeout", f"No complete answer within {seconds} seconds.", permanent=False)


def _broken(url: httpx.URL, error: httpx.TransportError) -> GatewayError:
    """Say in words what became of the connection."""
    place = url.netloc.decode("ascii")
    if _certificate(error):
        return GatewayError("connection", f"The certificate of {place} cannot be verified.")
    if isinstance(error, httpx.ConnectTimeout):
        return GatewayError("connection", f"{place} does not answer: is it running?", permanent=False)
    if isinstance(error, httpx.ConnectError):
        why = f" ({error})" if "name" in str(error) else ""
        return GatewayError("connection", f"{place} cannot be reached{why}: is it running?", permanent=False)
    if isinstance(error, httpx.LocalProtocolError | httpx.UnsupportedProtocol):
        return GatewayError("bad_parameters", f"The request to {place} cannot be sent as it is.")
    return GatewayError("connection", f"{place} broke the connection off.", permanent=False)


def _certificate(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False
