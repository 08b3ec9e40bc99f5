"""The whole portal as people start it: ready in one line, mended when it breaks, and gone without a trace."""

from __future__ import annotations

import io
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
from evalportal.management.commands.serve import Command
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


def serve(var: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "manage.py", "serve", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "EVALPORTAL_VAR": str(var), "DATABASE_URL": "", "REDIS_URL": "", "DEBUG": "1"},
    )


class Portal:
    """The portal in a process of its own."""

    def __init__(self, var: Path) -> None:
        self.port = free_port()
        self.process = serve(var, "--port", str(self.port))
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
    assert portal.process.returncode == 0
    assert said.startswith(
        "Nobody can sign in yet. Make the first admin in another terminal: EVALPORTAL_VAR="
    )
    assert said.endswith("python manage.py createsuperuser\n")
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


def test_it_serves_a_folder_once_and_writes_no_invitation_down(portal: Portal, var: Path) -> None:
    urllib.request.urlopen(f"http://127.0.0.1:{portal.port}/healthz?next=/welcome/MQ/a-token/").close()
    eventually(lambda: '"GET /healthz?next=/welcome/… HTTP/1.1" 200' in (var / "log" / "web.log").read_text())
    assert (var / "log" / "web.log").stat().st_mode & 0o077 == 0
    second = serve(var, "--port", str(free_port()))
    _, words = second.communicate(timeout=60)
    assert second.returncode == 1
    assert f"A portal already serves the data in {var}, on http://127.0.0.1:{portal.port}" in words


@pytest.mark.parametrize(
    ("host", "allowed", "warned"),
    [
        ("127.0.0.1", "127.0.0.1,localhost,[::1]", False),
        ("192.0.2.7", "127.0.0.1,localhost,[::1],192.0.2.7", False),
        ("2001:db8::7", "127.0.0.1,localhost,[::1],[2001:db8::7]", False),
        ("0.0.0.0", "", True),
    ],
)
def test_it_answers_under_the_address_that_it_is_given_or_says_what_to_set(
    host: str, allowed: str, warned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALLOWED_HOSTS", "")
    monkeypatch.setattr("django.conf.settings.ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"])
    words = io.StringIO()
    Command(stderr=words)._admit(host)
    assert os.environ["ALLOWED_HOSTS"] == allowed
    assert ("set ALLOWED_HOSTS" in words.getvalue()) == warned


def test_it_names_a_port_to_choose_when_its_own_is_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "manage.py", "serve", "--port", str(port)],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
            env={**os.environ, "EVALPORTAL_VAR": str(tmp_path)},
        )
    assert done.returncode == 1
    assert "Address already in use" in done.stderr
    assert f"PORT={port + 1}" in done.stderr
