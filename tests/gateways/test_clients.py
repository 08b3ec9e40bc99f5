"""Clients that share what is dear, and take nothing from the environment."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.mock_server import Remote
from scoring.gateway_contract import GatewayError, Target
from scoring.gateways import openai_compatible
from tests.gateways.conftest import put_to


def test_it_shares_one_ssl_context_among_all_clients() -> None:
    clients = [openai_compatible.client(Target("m", "https://127.0.0.1")) for _ in range(3)]
    pools: list[Any] = [client._transport for client in clients]
    assert len({id(pool._pool._ssl_context) for pool in pools}) == 1
    assert pools[0]._pool._ssl_context.verify_mode is ssl.CERT_REQUIRED


def test_it_goes_around_the_proxies_of_the_environment(mock: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert put_to(openai_compatible, mock.url, "Hello.").content


def test_it_does_not_follow_a_redirect(mock: Remote) -> None:
    with pytest.raises(GatewayError, match="redirects") as caught:
        put_to(openai_compatible, mock.url, f"[[redirect={mock.url}/v1/elsewhere]]")
    assert f"That is {mock.url}/v1/elsewhere." in str(caught.value)
    assert mock.counts()["requests"] == 1


@pytest.fixture
def self_signed(tmp_path: Path) -> Iterator[str]:
    """A server whose certificate nobody vouches for."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_shake_hands, args=(server, context), daemon=True).start()
        yield f"https://127.0.0.1:{server.getsockname()[1]}"


def _shake_hands(server: socket.socket, context: ssl.SSLContext) -> None:
    try:
        connection, _ = server.accept()
        context.wrap_socket(connection, server_side=True)
    except OSError:
        pass


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl to make a certificate")
def test_it_refuses_a_certificate_that_nobody_vouches_for(self_signed: str) -> None:
    with pytest.raises(GatewayError, match="certificate") as caught:
        put_to(openai_compatible, self_signed, "Hello.", key="sk-secret")
    assert (caught.value.kind, caught.value.permanent) == ("connection", True)
