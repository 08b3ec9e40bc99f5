"""A service's name and the portal's folder go in; its server runs until nobody uses it any more.

`python -m evalportal.embedded.guardian SERVICE FOLDER [--throwaway]` returns when the server answers, and
leaves a process behind that restarts a server that dies and stops it when the last user is gone.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from evalportal.embedded import leash, places, servers, sharing
from evalportal.embedded.bell import Bell
from evalportal.embedded.places import Place, ServiceError
from evalportal.embedded.postgres import Postgres
from evalportal.embedded.redis import Redis
from evalportal.embedded.servers import Server

_SERVERS: Final[dict[str, Callable[[Place], Server]]] = {"postgres": Postgres, "redis": Redis}
_READY = "ready"
_ATTEMPTS = 5
_LONGEST_LOG = 5_000_000  # bytes; a longer one is set aside when a guardian starts
_PATIENCE = 20  # seconds for a clean stop


def main(service: str, folder: str, *flags: str) -> int:
    """Start the server and its guardian; return 0 when it answers, or 1 with the reason on standard error."""
    place = places.find(Path(folder), service, throwaway="--throwaway" in flags)
    server = _SERVERS[service](place)
    place.make()
    lock = sharing.open_lock(place, "guardian")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        server.prepare()
    except BlockingIOError:
        return 0  # there is one already
    except ServiceError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return _detach(server, lock)


def _detach(server: Server, lock: int) -> int:
    """Leave a process of its own behind, and wait for its first word."""
    ear, mouth = os.pipe()
    if os.fork():
        os.close(mouth)
        with os.fdopen(ear) as report:
            word = report.read()
        if word != _READY:
            sys.stderr.write(word)
        return 0 if word == _READY else 1
    os.close(ear)
    os.setsid()
    os.chdir("/")
    os.ftruncate(lock, 0)
    os.write(lock, str(os.getpid()).encode())  # for people who wonder
    _redirect(server.place.log)
    with os.fdopen(mouth, "w") as report:
        keeper = _Keeper(server)
        try:
            keeper.start()
            report.write(_READY)
        except ServiceError as error:
            report.write(f"{error}\n")
            return 1
    return keeper.keep()


def _redirect(log: Path) -> None:
    """Let go of the caller's terminal and pipes: whoever waits for their end would wait for ours."""
    if log.exists() and log.stat().st_size > _LONGEST_LOG:
        log.replace(log.with_suffix(".log.1"))
    nothing = os.open(os.devnull, os.O_RDONLY)
    lines = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for source, target in ((nothing, 0), (lines, 1), (lines, 2)):
        os.dup2(source, target)


class _Keeper:
    """One running server, from its start to its end."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._users = sharing.open_lock(server.place, "users")
        self._bell = Bell(signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)
        self._process: subprocess.Popen[bytes]

    def start(self) -> None:
        """Start the server and wait until it answers; try again a few times if it ends instead.

        After a crash the remains of the old server may be in the way for a moment.
        """
        for attempt in range(_ATTEMPTS):
            time.sleep(0.1 * (2**attempt - 1))
            self._spawn()
            while self._process.poll() is None:
                if self._server.ready():
                    return
                time.sleep(0.01)
        raise ServiceError(f"{self._server.place.service} does not start; see {self._server.place.log}")

    def keep(self) -> int:
        """Watch over the server until the last user is gone or someone tells us to leave."""
        leaving = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
        while not self._alone() and not leaving & self._bell.wait(0.2):
            if self._process.poll() is not None:
                _note(f"the server ended with status {self._process.returncode}; starting it again")
                self.start()
        self._stop()
        _clear_up(self._server.place)
        return 0

    def _spawn(self) -> None:
        place = self._server.place
        self._process = subprocess.Popen(
            self._server.command(),
            stdin=subprocess.DEVNULL,
            cwd="/",
            env=servers.environment(),
            **leash.options(self._server.stop_signal, place.account),
        )

    def _alone(self) -> bool:
        """Take the users' lock for ourselves, which nobody else can then have until we are gone."""
        try:
            fcntl.flock(self._users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _stop(self) -> None:
        for number, patience in (
            (self._server.stop_signal, _PATIENCE),
            (signal.SIGQUIT, 5),
            (signal.SIGKILL, 5),
        ):
            self._process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)
                return


def _clear_up(place: Place) -> None:
    """Remove what a stopped server needs no more: of a throwaway one everything."""
    if place.sockets.parent != place.home:
        shutil.rmtree(place.sockets, ignore_errors=True)
    if not place.throwaway:
        return
    shutil.rmtree(place.home, ignore_errors=True)
    if place.account:
        (place.var / place.service).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # the session's other server is still there
            place.home.parent.rmdir()
    if not any(os.path.lexists(place.var / service) for service in _SERVERS):
        shutil.rmtree(place.var, ignore_errors=True)


def _note(words: str) -> None:
    sys.stderr.write(f"{time.strftime('%Y-%m-%d %H:%M:%S UTC', time.gmtime())} guardian: {words}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
