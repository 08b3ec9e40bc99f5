"""A server goes in; it runs, and goes on running at least as long as this process does."""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from evalportal.embedded.places import ROOT, Place, ServiceError
from evalportal.embedded.servers import Server

_PATIENCE = 120  # seconds; a database that recovers from a crash may need a while

# Held open until the process ends; forked children hold them too.
_held: dict[Path, int] = {}


def join(server: Server) -> None:
    """Become a user of the server, and return when it answers."""
    server.place.make()
    if server.place.home not in _held:
        # A guardian that is stopping the server has this lock alone: we wait until it is gone.
        users = open_lock(server.place, "users")
        fcntl.flock(users, fcntl.LOCK_SH)
        _held[server.place.home] = users
    ensure(server)


def ensure(server: Server) -> None:
    """See that the server has a guardian and answers; replace a guardian that was killed."""
    deadline = time.monotonic() + _PATIENCE
    _guard(server.place)
    while not server.ready():
        if time.monotonic() > deadline:
            raise ServiceError(f"{server.place.service} does not answer; see {server.place.log}")
        time.sleep(0.02)
        _guard(server.place)


def guarded(place: Place) -> bool:
    """Say whether a guardian is at work there."""
    lock = open_lock(place, "guardian")
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(lock)


def open_lock(place: Place, name: str) -> int:
    """Open one of the files that processes lock; the lock goes with the process, however it ends."""
    return os.open(place.home / f"{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _guard(place: Place) -> None:
    with _starting(place):
        if not guarded(place):
            _start_guardian(place)


@contextlib.contextmanager
def _starting(place: Place) -> Iterator[None]:
    lock = open_lock(place, "start")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _start_guardian(place: Place) -> None:
    flags = ["--throwaway"] if place.throwaway else []
    started = subprocess.run(
        [sys.executable, "-m", "evalportal.embedded.guardian", place.service, str(place.var), *flags],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        start_new_session=True,  # Ctrl-C in the terminal is not for it
    )
    if started.returncode:
        raise ServiceError(
            started.stderr.strip() or f"The guardian of {place.service} failed; see {place.log}"
        )
