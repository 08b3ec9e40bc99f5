"""Chunks and rows of an upload pass through; how far it is comes out, where pages can see it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

import psycopg

from scoring.engine.locks import Session
from scoring.models import Upload

_SECONDS_BETWEEN_REPORTS = 0.5


class Progress:
    """How far an upload has been read, told through a session outside the import's transaction."""

    def __init__(self, upload: Upload, session: Session) -> None:
        session.execute("SET lock_timeout = '1s'")
        self._upload = upload
        self._session = session
        self._bytes = 0
        self._told_at = time.monotonic()

    def counted(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Pass chunks on, and remember how many bytes they were."""
        for chunk in chunks:
            self._bytes += len(chunk)
            yield chunk

    def tell(self, rows: int) -> None:
        """Write down how far it is, now and then."""
        if time.monotonic() - self._told_at < _SECONDS_BETWEEN_REPORTS:
            return
        self._told_at = time.monotonic()
        try:
            self._session.execute(
                "UPDATE scoring_upload SET read_bytes = %s, rows = %s WHERE id = %s AND state = %s",
                [self._bytes, rows, self._upload.pk, Upload.State.READING.value],
            )
        except psycopg.Error:
            # The row is locked or the session lost: no reason to stop the import, which finds out for itself.
            return
