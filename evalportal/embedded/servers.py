"""What a server in the box must offer so that the guardian can keep it running."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path
from typing import Protocol

from evalportal.embedded.places import Place


class Server(Protocol):
    """One service: how it is prepared, started, asked whether it is ready, and stopped."""

    place: Place
    stop_signal: signal.Signals

    def prepare(self) -> None:
        """Make ready what the server needs, and clear away what a killed one left behind."""

    def command(self) -> list[str]:
        """Return the command line of the server, which stays in the foreground."""

    def ready(self) -> bool:
        """Say whether the server answers."""

    def url(self) -> str:
        """Return the address under which the portal's processes reach it."""


def connect(path: Path) -> socket.socket | None:
    """Connect to a socket, or return None when nobody listens there."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(5)
    try:
        connection.connect(os.fspath(path))
    except OSError:
        connection.close()
        return None
    return connection


def environment() -> dict[str, str]:
    """Return a bare environment: nothing of the caller's may change how a server behaves."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}
