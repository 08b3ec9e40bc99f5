"""A job and its work go in; the work is done once, with its progress where pages see it, and how it ended."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar
from uuid import uuid4

import psycopg
from django.db import InterfaceError, OperationalError
from django.utils import timezone
from psycopg import sql

from evalportal.models import BundleImport, Export, Job
from scoring.engine import locks
from scoring.engine.locks import Session, Work

# Says how many rows of how many are through.
Tell = Callable[[int, int], None]
AnyJob = TypeVar("AnyJob", Export, BundleImport)

KEPT = timedelta(days=1)
_UNHEARD = timedelta(minutes=1)
_SECONDS_BETWEEN_REPORTS = 0.5

logger = logging.getLogger(__name__)


class JobRefusedError(Exception):
    """What was asked for cannot be done; the message says why."""


def file_name(ending: str) -> str:
    """Make up a name for a file that nobody can guess and no other job has."""
    return f"{uuid4().hex}.{ending}"


def do(job: Job, work: Callable[[Tell], str]) -> None:
    """Do a job, unless somebody else is at it or has done it; `work` returns what there is to say.

    Whoever dies in the middle leaves nothing behind but the state; the next one starts over.
    """
    with locks.session(f"doing {job._meta.model_name} {job.pk}") as own:
        is_ours = locks.take(own, Work.READING, job.LOCKS + job.pk)
        job.refresh_from_db()
        if not is_ours or not job.under_way:
            return
        job.state, job.started_at, job.rows = Job.State.WORKING, timezone.now(), 0
        job.save()
        try:
            _end(job, Job.State.DONE, work(_Progress(job, own).tell))
        except JobRefusedError as error:
            _end(job, Job.State.REFUSED, str(error))
        except (OperationalError, InterfaceError):
            raise  # The database went away: the job waits for it, and is done then.
        except OSError as error:
            logger.exception("A job failed.", extra={"job": str(job)})
            _end(job, Job.State.FAILED, f"The server cannot write or read the file: {error.strerror}.")
        except Exception:
            logger.exception("A job failed.", extra={"job": str(job)})
            _end(job, Job.State.FAILED, "Something went wrong on the server, and its log says what.")


def unheard(model: type[AnyJob]) -> list[int]:
    """List jobs that are not done after a minute: their worker may have died, or never been told."""
    states = (Job.State.WAITING, Job.State.WORKING)
    late = model.objects.filter(state__in=states, created_at__lt=timezone.now() - _UNHEARD)
    return list(late.order_by("pk").values_list("pk", flat=True))


def forget(model: type[AnyJob]) -> None:
    """Remove jobs that ended a day ago, with their files."""
    for job in model.objects.filter(finished_at__lt=timezone.now() - KEPT):
        job.path.unlink(missing_ok=True)
        job.delete()


def _end(job: Job, state: Job.State, message: str) -> None:
    job.state, job.message, job.finished_at = state, message, timezone.now()
    job.save(update_fields=["state", "message", "finished_at"])


class _Progress:
    """How far a job is, told through a session outside the transaction of its work."""

    def __init__(self, job: Job, session: Session) -> None:
        session.execute("SET lock_timeout = '1s'")
        self._job = job
        self._session = session
        self._told_at = time.monotonic()

    def tell(self, rows: int, total: int) -> None:
        """Write down how far it is, now and then."""
        if time.monotonic() - self._told_at < _SECONDS_BETWEEN_REPORTS:
            return
        self._told_at = time.monotonic()
        table = sql.Identifier(self._job._meta.db_table)
        query = sql.SQL("UPDATE {} SET rows = %s, total_rows = %s WHERE id = %s").format(table)
        try:
            self._session.execute(query, [rows, total, self._job.pk])
        except psycopg.Error:
            # The row is locked or the session lost: no reason to stop the work, which finds out for itself.
            return
