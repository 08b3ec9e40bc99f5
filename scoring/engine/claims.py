"""Rows that wait to be asked go in; they come out claimed, given back, put off or failed, each only once.

Every statement names the asker, so that what somebody else has claimed since stays untouched.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.sql import SQL, Identifier

from scoring.engine.locks import Session
from scoring.engine.slots import Job

Row = tuple[Any, ...]

RESPONSES, VERDICTS = Identifier("scoring_response"), Identifier("scoring_verdict")

logger = logging.getLogger(__name__)


class Trouble(NamedTuple):
    """A row that was asked in vain: the kind of error, its words, and how long to wait before the next."""

    row: int
    kind: str
    message: str
    wait: float = 0.0


def recover(
    session: Session, table: Identifier, runs: Sequence[int], asker: UUID, held: Sequence[int] = ()
) -> int:
    """Let rows wait again that an asker left behind; whoever holds the endpoint's lock knows it is dead.

    What the holder itself has claimed and knows of stays its own.
    """
    done = session.execute(
        SQL(
            "UPDATE {} SET state = 'waiting', asker = NULL"
            " WHERE run_id = ANY(%s) AND state = 'asking'"
            " AND (asker IS DISTINCT FROM %s OR id <> ALL(%s))"
        ).format(table),
        [list(runs), asker, list(held)],
    )
    return done.rowcount


def holds(session: Session, table: Identifier, runs: Sequence[int], asker: UUID) -> bool:
    """Say whether an asker still holds anything of some runs."""
    found = session.execute(
        SQL("SELECT FROM {} WHERE run_id = ANY(%s) AND state = 'asking' AND asker = %s LIMIT 1").format(
            table
        ),
        [list(runs), asker],
    )
    return found.rowcount > 0


def prepared(
    session: Session, table: Identifier, asker: UUID, rows: Iterable[Row], prepare: Callable[[Row], Job]
) -> list[Job]:
    """Make jobs of claimed rows; a row that nothing can be made of fails alone, with the reason."""
    jobs, lost = [], []
    for row in rows:
        try:
            jobs.append(prepare(row))
        except Exception as error:  # Whatever is wrong with one case must not stop the others.
            logger.exception("No prompt can be put", extra={"row": row[0]})
            lost.append(Trouble(row[0], "bad_case", f"No prompt can be put: {type(error).__name__}: {error}"))
    if lost:
        fail(session, table, asker, lost)
    return jobs


def release(session: Session, table: Identifier, asker: UUID, rows: Iterable[int]) -> None:
    """Give rows back as if they had never been claimed."""
    session.execute(
        SQL(
            "UPDATE {} SET state = 'waiting', asker = NULL"
            " WHERE id = ANY(%s) AND asker = %s AND state = 'asking'"
        ).format(table),
        [list(rows), asker],
    )


def release_all(session: Session, table: Identifier, asker: UUID, runs: Sequence[int]) -> None:
    """Give back all that an asker still holds of some runs."""
    session.execute(
        SQL(
            "UPDATE {} SET state = 'waiting', asker = NULL"
            " WHERE run_id = ANY(%s) AND state = 'asking' AND asker = %s"
        ).format(table),
        [list(runs), asker],
    )


def postpone(session: Session, table: Identifier, asker: UUID, troubles: Sequence[Trouble]) -> None:
    """Let rows wait for their next try; the database's clock is the only one that counts."""
    session.execute(
        SQL(
            "UPDATE {} AS t SET state = 'waiting', asker = NULL, attempts = t.attempts + 1,"
            " error_kind = v.kind, error = v.message, not_before = now() + make_interval(secs => v.wait)"
            " FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::float8[]) AS v(id, kind, message, wait)"
            " WHERE t.id = v.id AND t.asker = %s AND t.state = 'asking'"
        ).format(table),
        [*_columns(troubles), asker],
    )


def fail(session: Session, table: Identifier, asker: UUID, troubles: Sequence[Trouble]) -> None:
    """Give rows up, with the reason."""
    session.execute(
        SQL(
            "UPDATE {} AS t SET state = 'failed', asker = NULL, attempts = t.attempts + 1,"
            " error_kind = v.kind, error = v.message, not_before = NULL, answered_at = now()"
            " FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::float8[]) AS v(id, kind, message, wait)"
            " WHERE t.id = v.id AND t.asker = %s AND t.state = 'asking'"
        ).format(table),
        [*_columns(troubles), asker],
    )


def next_due(session: Session, table: Identifier, run: int) -> float | None:
    """Say in how many seconds the next row of a run may be asked; None if none waits."""
    row = session.execute(
        SQL(
            "SELECT extract(epoch FROM min(coalesce(not_before, now())) - now())::float8"
            " FROM {} WHERE run_id = %s AND state = 'waiting'"
        ).format(table),
        [run],
    ).fetchone()
    return row[0] if row else None


def _columns(troubles: Sequence[Trouble]) -> list[list[object]]:
    return [list(column) for column in zip(*troubles, strict=True)]
