"""Signals and a terminal go in; whether someone wants us to leave comes out."""

from __future__ import annotations

import os
import select
import signal


class Bell:
    """Wait for signals without running any code inside a signal handler."""

    def __init__(self, *signals: signal.Signals) -> None:
        self._ear, self._mouth = os.pipe()
        os.set_blocking(self._ear, False)
        os.set_blocking(self._mouth, False)
        signal.set_wakeup_fd(self._mouth, warn_on_full_buffer=False)
        for number in signals:
            signal.signal(number, lambda *_: None)

    def wait(self, seconds: float) -> set[int]:
        """Sleep until a signal comes or the time is over, and say which came."""
        heard, _, _ = select.select([self._ear], [], [], seconds)
        return set(os.read(self._ear, 512)) if heard else set()


class Terminal:
    """The terminal that a process was started from, if any."""

    def __init__(self) -> None:
        self._poll = select.poll()
        for descriptor in (0, 1, 2):
            if os.isatty(descriptor):
                self._poll.register(descriptor, 0)

    def closed(self) -> bool:
        """Say whether its window or connection is gone; `make` does not pass the signal of that on."""
        return any(event & select.POLLHUP for _, event in self._poll.poll(0))
