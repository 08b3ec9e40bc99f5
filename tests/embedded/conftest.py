"""Real users of real servers: each is a process of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evalportal.embedded import places
from evalportal.embedded.places import ROOT, Place
from evalportal.embedded.provide import offers
from evalportal.embedded.servers import Server

PROGRAM = """
import sys
from pathlib import Path
from evalportal.embedded import sharing
from evalportal.embedded.provide import offers

server = offers(Path(sys.argv[1]))[sys.argv[2]]
sharing.join(server)
print(server.url(), flush=True)
sys.stdin.read()
"""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can try it as somebody else")


class User:
    """A process that uses a server until it is told to leave or is killed."""

    def __init__(self, var: Path, variable: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(var), variable],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    @property
    def url(self) -> str:
        """Wait until the server answers, and return its address."""
        assert self._process.stdout
        return self._process.stdout.readline().strip()

    def leave(self) -> None:
        """Let the process end by itself; its pipes close with it."""
        self._process.communicate(timeout=30)

    def kill(self) -> None:
        self._process.kill()
        self.leave()


class Service:
    """One kind of server in one folder, seen from outside."""

    def __init__(self, var: Path, variable: str) -> None:
        self.var = var
        self.variable = variable
        self.server: Server = offers(var)[variable]
        self.place: Place = self.server.place
        self._users: list[User] = []

    def user(self) -> User:
        self._users.append(User(self.var, self.variable))
        return self._users[-1]

    def guardian(self) -> int:
        """Return the process number of the guardian."""
        return int((self.place.home / "guardian.lock").read_text())

    def clear(self) -> None:
        """Kill every user, and wait until the guardian has cleared up."""
        for user in self._users:
            user.kill()
        self._users.clear()
        eventually(lambda: gone(self.guardian()))


@pytest.fixture(scope="module")
def var(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for a portal, its servers' places removed at the end."""
    folder = tmp_path_factory.mktemp("portal") / "var"
    yield folder
    shutil.rmtree(places.find(folder, "postgres").home.parent, ignore_errors=True)


@pytest.fixture
def roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the places of a root lie in the test's own folder."""
    monkeypatch.setattr(places, "_SHARED_STATE", tmp_path / "shared")
    monkeypatch.setattr(places, "_TEMPORARY", tmp_path / "temporary")


@pytest.fixture
def postgres(var: Path) -> Iterator[Service]:
    service = Service(var, "DATABASE_URL")
    yield service
    service.clear()


@pytest.fixture
def redis(var: Path) -> Iterator[Service]:
    service = Service(var, "REDIS_URL")
    yield service
    service.clear()


def eventually(condition: Callable[[], bool]) -> None:
    """Wait until something becomes true, and fail if it does not."""
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "it did not come true within 30 seconds"
        time.sleep(0.02)


def gone(pid: int, seconds: float = 3.0) -> bool:
    """Say whether a process ends within a moment; one that nobody has buried yet counts as ended."""
    deadline = time.monotonic() + seconds
    while not _ended(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in {"Z", "X"}
    except (ProcessLookupError, FileNotFoundError):
        return True


def kill(pid: int) -> None:
    """Kill a process without giving it time to clean up, and wait until it is gone."""
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: gone(pid))


def refused(path: Path, stranger: str) -> bool:
    """Say whether another user of the machine cannot even see a file."""
    command = ["setpriv", f"--reuid={stranger}", "--regid=65533", "--clear-groups", "stat", str(path)]
    seen = subprocess.run(command, capture_output=True, text=True, check=False)
    return "Permission denied" in seen.stderr
