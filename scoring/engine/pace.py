"""What a server says of its limits goes in; how many requests may be in flight, and from when, comes out."""

from __future__ import annotations

import random
from time import monotonic

FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
# A server that does not say how long is tried again after this long at most: with one request, to begin with.
_LONGEST_HOLD = 10.0
_SHORTEST_HOLD = 0.1


class Pace:
    """At most `most` requests at a time; fewer, and later, while the server says that they are too many.

    A refusal halves what is allowed and holds everything back for as long as the server asks, or, if it
    does not say, for twice as long as the time before; every answer allows a little more again.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._allowed = float(most)
        self._until = 0.0
        self._refusals = 0

    def allowed(self) -> int:
        """Say how many requests may be in flight now, once nothing is held back."""
        return max(1, min(self.most, int(self._allowed)))

    def wait(self) -> float:
        """Say for how many seconds nothing may be sent."""
        return max(0.0, self._until - monotonic())

    def refused(self, retry_after: float | None) -> None:
        """Take note that the server was asked too much; refusals of one burst count once."""
        asked = monotonic() + max(retry_after or 0.0, _SHORTEST_HOLD)
        if self.wait():
            self._until = max(self._until, asked)
            return
        self._allowed = max(1.0, self.allowed() / 2)
        self._refusals += 1
        own = monotonic() + min(_LONGEST_HOLD, backoff(self._refusals))
        self._until = own if retry_after is None else asked

    def answered(self) -> None:
        """Take note of an answer."""
        self._refusals = 0
        # One more for every round of answers, so that full pace is back after a while, not at once.
        self._allowed = min(float(self.most), self._allowed + 1 / max(1.0, self._allowed) + 0.05)


def backoff(attempt: int, first: float = FIRST_WAIT) -> float:
    """Choose how long to wait before trying again: longer each time, and not all at the same moment."""
    longest = min(LONGEST_WAIT, first * 2.0 ** min(attempt - 1, 16))
    return longest * random.uniform(0.5, 1.0)
