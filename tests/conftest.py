"""People for the tests, and no way out of this machine."""

from __future__ import annotations

import ipaddress
import signal
import socket
from collections.abc import Callable
from typing import Any

import hypothesis
import pytest

# No test asserts a time: a machine may be as busy as it likes.
hypothesis.settings.register_profile("portal", deadline=None)
hypothesis.settings.load_profile("portal")

# Some tests press Ctrl-C. A shell that runs them in the background lets them, and all they start, ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)

_connect = socket.socket.connect


def _connect_here(self: socket.socket, address: Any) -> None:
    """Refuse every address that is not on this machine."""
    if self.family in {socket.AF_INET, socket.AF_INET6} and not ipaddress.ip_address(address[0]).is_loopback:
        pytest.fail(f"A test tried to reach {address[0]}.")
    _connect(self, address)


socket.socket.connect = _connect_here  # type: ignore[method-assign, assignment]


def pytest_configure() -> None:
    """Sign in quickly."""
    from django.conf import settings

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def _person(username: str, role: str) -> Any:
    from evalportal.models import Person

    return Person.objects.create_user(username, f"{username}-password", name=username.title(), role=role)


@pytest.fixture
def alice(db: None) -> Any:
    """An admin."""
    return _person("alice", "admin")


@pytest.fixture
def bob(db: None) -> Any:
    """A reviewer."""
    return _person("bob", "reviewer")


@pytest.fixture
def carol(db: None) -> Any:
    """Another reviewer."""
    return _person("carol", "reviewer")


@pytest.fixture
def dan(db: None) -> Any:
    """A manager."""
    return _person("dan", "manager")


@pytest.fixture
def signed_in() -> Callable[[Any], Any]:
    """Make a client with someone signed in."""
    from django.test import Client

    def sign_in(person: Any) -> Client:
        client = Client()
        client.force_login(person)
        return client

    return sign_in
