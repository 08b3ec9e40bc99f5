"""A kind of work and a number go in; a lock that dies with its holder's session comes out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import IntEnum
from types import TracebackType
from typing import Any, Self

import django.db
import psycopg
from django.db import connection

Session = psycopg.Connection[tuple[Any, ...]]

# What is raised when the database goes away, by Django's connection or by a session of one's own.
LOST = (
    django.db.OperationalError,
    django.db.InterfaceError,
    psycopg.OperationalError,
    psycopg.InterfaceError,
)


class Work(IntEnum):
    """What only one process may do at a time for one number; the values are lock classes of PostgreSQL."""

    ASKING = 7301  # by endpoint
    SCORING = 7302  # by run
    SWEEPING = 7303
    READING = 7304  # by upload


@contextmanager
def session(purpose: str) -> Iterator[Session]:
    """Open a session of one's own with the database; a lock taken in it goes when the session goes.

    Whoever writes through the session that holds the lock cannot write any more once the lock is lost.
    """
    parameters = {
        name: value
        for name, value in connection.get_connection_params().items()
        if name not in {"context", "cursor_factory", "prepare_threshold"}
    }
    with psycopg.connect(**parameters, autocommit=True, application_name=f"evalportal {purpose}"[:63]) as own:
        yield own


def take(own: Session, work: Work, number: int) -> bool:
    """Take a lock if nobody has it."""
    row = own.execute("SELECT pg_try_advisory_lock(%s, %s)", [int(work), _key(number)]).fetchone()
    return bool(row and row[0])


class Seat:
    """A lock and the session that holds it, which can be taken again after the database was away."""

    def __init__(self, work: Work, number: int, purpose: str) -> None:
        self._work, self._number, self._purpose = work, number, purpose
        self._sessions = ExitStack()
        self.session: Session

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sessions.close()

    def take(self) -> bool:
        """Take the lock in a session that is new, if nobody else has it."""
        self._sessions.close()
        self.session = self._sessions.enter_context(session(self._purpose))
        return take(self.session, self._work, self._number)


def holders(work: Work) -> set[int]:
    """List the numbers for which somebody is at work."""
    with connection.cursor() as cursor:
        cursor.execute(_HOLDERS, [int(work)])
        return {number for (number,) in cursor.fetchall()}


def break_frozen(work: Work, seconds: float) -> int:
    """End the sessions of holders that have said nothing for long, so that others can go on.

    A killed process loses its session by itself; this is for one that is stopped or stuck. Only those who
    speak to the database all the time may be judged by their silence.
    """
    with connection.cursor() as cursor:
        cursor.execute(_BREAK, [int(work), seconds])
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def _key(number: int) -> int:
    # Locks take 32 bits; a number beyond them would share its lock with another, which is slow but right.
    return number & 0x7FFF_FFFF


_HOLDERS = """
SELECT objid::bigint FROM pg_locks
WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = %s
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""

_BREAK = """
SELECT count(pg_terminate_backend(activity.pid))
FROM pg_stat_activity AS activity JOIN pg_locks AS lock USING (pid)
WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = %s
    AND activity.datname = current_database()
    AND state_change < clock_timestamp() - make_interval(secs => %s)
"""
