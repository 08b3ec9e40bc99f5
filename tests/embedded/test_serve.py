"""The whole portal as people start it: ready in one line, mended when it breaks, and gone without a trace."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalportal.embedded.places import ROOT
from tests.embedded.conftest import Service, eventually, gone, kill

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are found in /proc"),
]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def children_of(parent: int) -> dict[int, str]:
    """Return the processes that one process has started, with their command lines."""
    found = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(status.read_text().rpartition(")")[2].split()[1]) == parent:
                found[int(status.parent.name)] = (status.parent / "cmdline").read_text().replace("\0", " ")
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def descendants_of(parent: int) -> set[int]:
    children = children_of(parent).keys()
    return set(children).union(*(descendants_of(child) for child in children))


class Portal:
    """The portal in a process of its own."""

    def __init__(self, var: Path) -> None:
        self.port = free_port()
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--port", str(self.port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "EVALPORTAL_VAR": str(var), "DATABASE_URL": "", "REDIS_URL": "", "DEBUG": "1"},
        )
        assert self.process.stdout
        self.first_words = self.process.stdout.readline()

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=5) as response:
                return bool(response.status == 200)
        except OSError:
            return False

    def child(self, words: str) -> int:
        return next(pid for pid, command in children_of(self.process.pid).items() if words in command)


@pytest.fixture
def portal(var: Path) -> Iterator[Portal]:
    portal = Portal(var)
    yield portal
    portal.process.kill()
    portal.process.communicate()


def test_it_says_one_line_and_leaves_no_process_on_ctrl_c(portal: Portal) -> None:
    assert portal.first_words == f"evalportal is ready on http://127.0.0.1:{portal.port} (Ctrl-C stops it)\n"
    assert portal.answers()
    everyone = descendants_of(portal.process.pid)
    assert len(everyone) >= 6  # two web workers and their master, two workers, beat
    portal.process.send_signal(signal.SIGINT)
    said, _ = portal.process.communicate(timeout=60)
    assert (portal.process.returncode, said) == (0, "")
    assert all(gone(pid) for pid in everyone)


def test_it_mends_what_breaks_and_leaves_no_process_when_it_is_killed(portal: Portal, var: Path) -> None:
    postgres = Service(var, "DATABASE_URL")
    os.kill(portal.child("gunicorn"), signal.SIGKILL)
    assert portal.process.stderr
    assert portal.process.stderr.readline().startswith(
        "evalportal: web was ended by SIGKILL; starting it again"
    )
    eventually(portal.answers)
    kill(postgres.guardian())
    assert portal.process.stderr.readline().startswith("evalportal: an embedded server lost its guardian")
    eventually(postgres.server.ready)
    everyone = descendants_of(portal.process.pid)
    portal.process.kill()
    eventually(lambda: all(gone(pid) for pid in everyone))


def test_it_names_a_port_to_choose_when_its_own_is_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "manage.py", "serve", "--port", str(port)],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
        )
    assert done.returncode == 1
    assert "Address already in use" in done.stderr
    assert f"PORT={port + 1}" in done.stderr
