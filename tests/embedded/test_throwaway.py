"""Servers for a test session: its own, and gone with it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from evalportal.embedded import throwaway
from evalportal.embedded.places import ROOT
from tests.embedded.conftest import eventually

PROGRAM = """
import os, sys
from evalportal.embedded import throwaway

print(throwaway.start(), os.environ["DATABASE_URL"], os.environ["REDIS_URL"], sep="\\n", flush=True)
sys.stdin.read()
"""


class Session:
    """A test session in a process of its own."""

    def __init__(self, **environment: str) -> None:
        own = {
            name: value for name, value in os.environ.items() if not name.startswith(("EVALPORTAL_", "TEST_"))
        }
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=own | environment,
        )
        assert self._process.stdout
        self.folder, self.database, self.broker = (self._process.stdout.readline().strip() for _ in range(3))

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


def test_it_keeps_two_sessions_apart_and_removes_them_when_they_are_killed() -> None:
    one, other = Session(), Session()
    assert {one.folder, one.database, one.broker}.isdisjoint({other.folder, other.database, other.broker})
    with psycopg.connect(one.database) as connection:
        assert connection.execute("SHOW fsync").fetchone() == ("off",)
    places = [Path(session.folder) / "postgres" for session in (one, other)]
    homes = [place.resolve() for place in places]
    one.kill()
    other.kill()
    eventually(lambda: not any(Path(session.folder).exists() for session in (one, other)))
    assert not any(home.exists() for home in homes)


def test_it_shares_the_servers_with_the_processes_that_a_session_starts() -> None:
    session = Session()
    worker = Session(EVALPORTAL_TEST_SESSION=session.folder)
    assert (worker.folder, worker.database) == (session.folder, session.database)
    session.kill()
    psycopg.connect(worker.database).close()
    worker.kill()
    eventually(lambda: not Path(session.folder).exists())


def test_it_uses_the_servers_that_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DATABASE_URL", "REDIS_URL", "EVALPORTAL_VAR"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("EVALPORTAL_TEST_SESSION", str(tmp_path))
    monkeypatch.setenv("TEST_DATABASE_URL", "postgresql://db.example/portal")
    monkeypatch.setenv("TEST_REDIS_URL", "redis://broker.example/0")
    throwaway.start()
    assert os.environ["DATABASE_URL"] == "postgresql://db.example/portal"
    assert os.environ["REDIS_URL"] == "redis://broker.example/0"
    assert list(tmp_path.iterdir()) == []
