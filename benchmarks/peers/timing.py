"""A peer goes in; how long it took for the prompts comes out, or why it could not be measured."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from benchmarks.mock_server import Remote
from benchmarks.peers import prompts

HOME = Path(__file__).resolve().parents[2] / "var" / "peers"
MOST_SECONDS = 300
# promptfoo ends with 100 when an answer does not hold what it should.
SUCCESS = {0, 100}
# Whatever else the machine does matters little to a slow tool: the quick ones go more often, by turns.
QUICK_SECONDS, TIMES = 30.0, 3


class Peer(Protocol):
    """A tool: its name, its program and the log of its installation under `HOME`, and how it is called."""

    NAME: str
    PROGRAM: str
    LOG: str

    def prepare(self, folder: Path, url: str, most: int) -> tuple[list[str], dict[str, str]]: ...


class PeerError(Exception):
    """A tool cannot be measured; the message says why."""


def in_turn(
    tools: Mapping[str, Callable[[], float]], tell: Callable[[str], None]
) -> dict[str, float | PeerError]:
    """Measure slow tools once and quick ones three times, by turns; return the least seconds of each."""
    found: dict[str, float | PeerError] = dict.fromkeys(tools, QUICK_SECONDS)
    for turn in range(TIMES):
        for name, once in tools.items():
            before = found[name]
            if isinstance(before, PeerError) or (turn and before >= QUICK_SECONDS):
                continue
            tell(name)
            try:
                found[name] = min(once(), before) if turn else once()
            except PeerError as error:
                found[name] = error
    return found


def seconds(peer: Peer, mock: Remote, most: int) -> float:
    """Call a tool in an empty folder, and see to it that it asked each prompt once."""
    program = HOME / peer.PROGRAM
    if not program.exists():
        raise PeerError(f"missing: {_last_line(HOME / peer.LOG)}")
    mock.reset()
    with tempfile.TemporaryDirectory(prefix="evalportal-peer-") as name:
        folder = Path(name)
        arguments, environment = peer.prepare(folder, mock.url, most)
        took = _timed([str(program), *arguments], folder, environment, mock)
    check(mock)
    return took


def check(mock: Remote) -> None:
    """See that the mock server was asked what it should have been asked, and each prompt once."""
    counts = mock.counts(prompts=True)
    if set(counts["per_prompt"]) != prompts.sent():
        raise PeerError("it sent other prompts")
    if counts["requests"] != prompts.REQUESTS:
        raise PeerError(f"it sent {counts['requests']:,} requests")


def _timed(command: list[str], folder: Path, environment: dict[str, str], mock: Remote) -> float:
    """Time a program from its first request to its end: what it loads before does not count."""
    log = folder / "output.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=_environment(folder) | environment,
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
    try:
        begun = _wait(process, mock)
    finally:
        _end(process)
    if process.returncode not in SUCCESS or begun is None:
        raise PeerError(f"failed: {_last_line(log)}")
    return time.perf_counter() - begun


def _environment(folder: Path) -> dict[str, str]:
    """Let a tool find its own programs first, and write nowhere but in its folder."""
    path = f"{HOME / 'venv' / 'bin'}:{os.environ['PATH']}"
    return {"PATH": path, "HOME": str(folder), "LANG": "C.UTF-8", "NO_PROXY": "127.0.0.1"}


def _wait(process: subprocess.Popen[bytes], mock: Remote) -> float | None:
    """Wait for the end; return when the first request came."""
    begun, deadline = None, time.monotonic() + MOST_SECONDS
    while process.poll() is None:
        if time.monotonic() > deadline:
            raise PeerError(f"not done within {MOST_SECONDS} s: {mock.counts()['answers']:,} answers")
        if begun is None and mock.counts()["requests"]:
            begun = time.perf_counter()
        time.sleep(0.05)
    return begun


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a tool that takes too long, and whatever it has started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _last_line(log: Path) -> str:
    """Find the last words of a log, but for npm's, which only say where to find more."""
    lines = log.read_text(errors="replace").split("\n") if log.exists() else []
    told = (line.strip() for line in reversed(lines) if line.strip() and "A complete log" not in line)
    return next(told, "never installed")[:100]
