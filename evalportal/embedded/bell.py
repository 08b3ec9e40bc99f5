"""Signals go in, the numbers of those that came while one waited come out."""

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
