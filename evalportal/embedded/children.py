"""Commands go in, processes come out: started again when they die, and gone without a trace when stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from evalportal.embedded import leash

_FIRST_DELAY, _LONGEST_DELAY = 1.0, 30.0  # seconds before a dead child is started again
_SETTLED = 60  # a child that lived as long as this is forgiven its earlier deaths
_LONGEST_LOG = 10_000_000  # bytes; a longer one is set aside when a child starts


@dataclass
class Child:
    """One process of the portal: how it is called, where its words go, and how it is told to stop."""

    name: str
    command: list[str]
    log: Path
    environment: dict[str, str] = field(default_factory=lambda: dict(os.environ))
    orphaned: signal.Signals = signal.SIGKILL  # what it gets when its supervisor is killed
    descriptors: tuple[int, ...] = ()

    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    delay: float = _FIRST_DELAY
    due: float | None = None

    def start(self) -> None:
        """Start the process in a session of its own: Ctrl-C in the terminal is for the supervisor."""
        self.started, self.due = time.monotonic(), None
        with _open_log(self.log) as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self.environment,
                pass_fds=self.descriptors,
                **leash.options(self.orphaned),
            )

    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process."""
        if self.process:
            self.process.send_signal(number)

    def clear(self) -> None:
        """Kill what is left of the process and of those that it started."""
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Family:
    """All children of one supervisor."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._children: list[Child] = []
        self._say = say

    def add(self, child: Child) -> None:
        """Start a child and keep it running from now on."""
        self._children.append(child)
        child.start()

    def tend(self) -> None:
        """Notice who died, and start again those whose time has come; call it often."""
        now = time.monotonic()
        for child in self._children:
            if child.due is not None and now >= child.due:
                child.start()
            elif child.due is None and not child.running():
                self._bury(child, now)

    def stop(self, patience: float) -> None:
        """Ask everyone to stop, wait, and kill those who do not."""
        for child in self._children:
            child.send(signal.SIGTERM)
        deadline = time.monotonic() + patience
        while any(child.running() for child in self._children) and time.monotonic() < deadline:
            time.sleep(0.02)
        for child in self._children:
            child.clear()
        self._children.clear()

    def _bury(self, child: Child, now: float) -> None:
        child.clear()
        if now - child.started > _SETTLED:
            child.delay = _FIRST_DELAY
        child.due = now + child.delay
        self._say(f"{child.name} {_ending(child)}; starting it again in {child.delay:g} s, see {child.log}")
        child.delay = min(child.delay * 2, _LONGEST_DELAY)


def _ending(child: Child) -> str:
    code = child.process.returncode if child.process else 0
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"


@contextlib.contextmanager
def _open_log(path: Path) -> Iterator[BinaryIO]:
    """Open a log to write at its end; what is in it is for nobody but the user whom the portal runs as."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > _LONGEST_LOG:
        path.replace(path.with_suffix(".log.1"))
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as log:
        os.fchmod(log.fileno(), 0o600)  # an older one may be open to all
        yield log
