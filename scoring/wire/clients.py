"""A Target goes in, an HTTP client with a connection of its own comes out."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from ipaddress import ip_address

import httpcore
import httpx

from scoring import addresses
from scoring.gateway_contract import GatewayError, Target

_CONNECT_SECONDS = 10.0
# Servers close connections that were silent for a while; we go first, so as not to write into a closed one.
_KEEP_SECONDS = 4.0


def client(target: Target) -> httpx.AsyncClient:
    """Open a client for one request at a time.

    A pool looks at each of its connections at every request, so that one of two hundred costs twenty times
    as much as two hundred of one. Neither the environment's proxies nor its passwords are used: they would
    lead around the check of addresses.
    """
    try:
        addresses.read(target.base_url)
    except addresses.AddressError as error:
        raise GatewayError("wrong_address", str(error)) from None
    return httpx.AsyncClient(
        transport=_Transport(),
        headers={"Accept": "application/json", "Accept-Encoding": "identity", **_authorisation(target.key)},
        timeout=httpx.Timeout(None, connect=_CONNECT_SECONDS),
        follow_redirects=False,
        trust_env=False,
    )


def _authorisation(key: str) -> dict[str, str]:
    key = key.strip()
    if not key:
        return {}
    if not (key.isascii() and key.isprintable()):
        raise GatewayError("unauthorised", "The key holds characters that no header can carry: check it.")
    return {"Authorization": f"Bearer {key}"}


class _Transport(httpx.AsyncHTTPTransport):
    """HTTP/1.1 over a single connection, to addresses that may be asked."""

    def __init__(self) -> None:
        # The parent's own would make an SSL context for every client, 40 ms each, and look hosts up unseen.
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=_ssl_context(),
            max_connections=1,
            keepalive_expiry=_KEEP_SECONDS,
            network_backend=_CheckedNetwork(),
        )


@cache
def _ssl_context() -> ssl.SSLContext:
    """Trust the usual authorities, or those that SSL_CERT_FILE or SSL_CERT_DIR name."""
    return httpx.create_ssl_context()


class _CheckedNetwork(httpcore.AsyncNetworkBackend):
    """Connect to the very address that was checked: a second look-up might give another."""

    def __init__(self) -> None:
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        places = await _resolve(host, port)
        for place in places:
            addresses.check_ip(host, place)
        for place in places[:-1]:
            try:
                return await self._network.connect_tcp(place, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._network.connect_tcp(places[-1], port, timeout, local_address, socket_options)


async def _resolve(host: str, port: int) -> list[str]:
    with suppress(ValueError):
        return [str(ip_address(host))]
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as error:
        raise httpcore.ConnectError(f"the name {host} is not known") from error
    return list(dict.fromkeys(str(place[0]) for *_, place in found))
