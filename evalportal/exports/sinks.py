"""What a writer of files writes goes in; the bytes written since the last time come out."""

from __future__ import annotations

import io


class Sink(io.RawIOBase):
    """A file that cannot be sought or read: it holds only what was written since somebody took it."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._taken = 0

    def writable(self) -> bool:
        return True

    def write(self, content: object) -> int:
        before = len(self._held)
        self._held += memoryview(content)  # type: ignore[arg-type]
        return len(self._held) - before

    def tell(self) -> int:
        return self._taken + len(self._held)

    def taken(self) -> bytes:
        """Give what was written since the last time, and forget it."""
        found = bytes(self._held)
        self._taken += len(found)
        self._held.clear()
        return found
