"""Which addresses may be asked, however they are written and wherever their names lead."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from benchmarks import mock_server
from scoring import addresses
from scoring.addresses import AddressError
from scoring.gateway_contract import GatewayError, Prompt, Target
from scoring.gateways import openai_compatible
from tests.gateways.conftest import put_to


def lead(monkeypatch: pytest.MonkeyPatch, *places: str) -> None:
    """Have every name lead to these addresses."""

    def found(host: Any, port: Any, *_: Any, **__: Any) -> list[Any]:
        kinds = {False: socket.AF_INET, True: socket.AF_INET6}
        return [(kinds[":" in place], socket.SOCK_STREAM, 6, "", (place, port)) for place in places]

    monkeypatch.setattr(socket, "getaddrinfo", found)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:11434",
        "http://localhost:11434/v1/",
        "http://[::1]:8000",
        "http://10.0.0.5",
        "http://192.168.1.9:8080",
        "http://172.17.0.1",
        "http://100.64.0.7",
        "http://[fd12:3456::1]",
        "http://[64:ff9b::10.0.0.5]",
        "http://[64:ff9b:1::10.0.0.5]",
        "http://[2001:db8::a9fe:a9fe]",
        "https://203.0.113.5/v1",
        "https://no-such-name.invalid/v1",
    ],
)
def test_it_lets_loopback_private_and_public_addresses_pass(url: str) -> None:
    addresses.check(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest",
        "http://169.254.0.1",
        "http://[fe80::1]",
        "http://[fd00:ec2::254]",
        "http://[fd20:ce::254]",
        "http://100.100.100.200",
        "http://168.63.129.16",
        "http://192.0.0.192",
        "http://[::ffff:169.254.169.254]",
        "http://[::ffff:a9fe:a9fe]",
        "http://[64:ff9b::a9fe:a9fe]",
        "http://[2002:a9fe:a9fe::1]",
        "http://[2002:a9fe:a9fe::]",
        "http://[::169.254.169.254]",
        "http://[::ffff:0:169.254.169.254]",
        "http://[64:ff9b::169.254.169.254]",
        "http://[64:ff9b:1::a9fe:a9fe]",
        "http://[64:ff9b:1:a9fe:a9:fe00::]",
        "http://[64:ff9b:1:a9:fe:a9fe::]",
        "http://[64:ff9b:1:0:a9:fea9:fe00:0]",
        "http://[2001:db8::5efe:169.254.169.254]",
        "http://[2001:db8::200:5efe:a9fe:a9fe]",
        "http://[64:ff9b:1::100.100.100.200]",
        "http://2852039166/",
        "http://0xa9fea9fe/",
        "http://169.254.43518/",
        "http://metadata.google.internal",
        "http://METADATA.google.internal./",
        "http://metadata",
        "http://224.0.0.1",
        "http://255.255.255.255",
    ],
)
def test_it_refuses_link_local_and_metadata_addresses(url: str) -> None:
    with pytest.raises(AddressError, match="never asked"):
        addresses.check(url)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "http"),
        ("localhost:11434", "http"),
        ("file:///etc/passwd", "http"),
        ("gopher://127.0.0.1", "http"),
        ("http://", "host"),
        ("http://127.0.0.1:0", "port"),
        ("http://127.0.0.1:99999", "port"),
        ("http://[fe80::1%25eth0]", "host"),
        ("http://[::1", "read"),
        ("http://0251.0376.0251.0376/", "read"),
        ("http://host/\nX", "read"),
        ("http://alice:secret@host", "password"),
        ("http://169.254.169.254\\@host/", "password"),
        ("http://host/v1?key=1", "follows"),
        ("http://host/v1#x", "follows"),
    ],
)
def test_it_says_what_is_wrong_with_an_address(url: str, words: str) -> None:
    with pytest.raises(AddressError, match=words) as caught:
        addresses.check(url)
    assert "secret" not in str(caught.value)


def test_it_refuses_a_name_that_leads_to_a_refused_address(monkeypatch: pytest.MonkeyPatch) -> None:
    lead(monkeypatch, "10.0.0.1", "169.254.169.254")
    with pytest.raises(AddressError, match=r"friendly\.example leads to 169\.254\.169\.254, a link-local"):
        addresses.check("http://friendly.example/v1")


@pytest.mark.parametrize("place", ["169.254.169.254", "fe80::1%eth0", "::ffff:169.254.169.254"])
def test_it_looks_again_when_it_connects(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    lead(monkeypatch, "127.0.0.1")
    addresses.check("http://turncoat.example")
    lead(monkeypatch, place)
    with pytest.raises(GatewayError, match=r"turncoat\.example leads to") as caught:
        put_to(openai_compatible, "http://turncoat.example", "Hello.")
    assert (caught.value.kind, caught.value.permanent) == ("wrong_address", True)


def test_it_connects_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    async def asked() -> str:
        async with mock_server.serving() as (url, _):
            lead(monkeypatch, "::1", "127.0.0.1")  # nobody listens at the first
            target = Target("mock-small", url.replace("127.0.0.1", "model.example"))
            async with openai_compatible.client(target) as client:
                prompt = Prompt([{"role": "user", "content": "Hello."}])
                return (await openai_compatible.ask(client, target, prompt)).content

    assert asyncio.run(asked())
