"""Uploaded files go in and are kept in the database; a version of a dataset comes out, or every bad line."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import IO, Any, Protocol

from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Q
from django.utils import timezone

from scoring import cases, reserving
from scoring.cases import Outcome
from scoring.engine import locks
from scoring.engine.locks import Work
from scoring.jsonl.reasons import shown
from scoring.models import Upload, UploadFile, UploadPiece
from scoring.upload_progress import Progress
from scoring.uploads import Source

SMALL = 4 * 1024 * 1024  # up to here an upload is read within the request
PIECE = 1024 * 1024
KEPT = timedelta(days=1)

_PUT_OFF = Q(state=Upload.State.WAITING, started_at__isnull=False)
_UNHEARD = timedelta(minutes=1)

logger = logging.getLogger(__name__)


class TooLargeError(ValueError):
    """The files are larger than the portal takes at once."""


class NotImportableError(ValueError):
    """An upload that was not checked with success, or whose files are gone."""


class File(Protocol):
    """A file as a form gives it."""

    name: str | None

    def chunks(self, chunk_size: int | None = None) -> Iterable[bytes]: ...


def receive(files: Iterable[File], dataset_name: str, suite: str, check_only: bool, person: Any) -> Upload:
    """Keep files in the database, in pieces, so that any worker on any machine can read them."""
    with transaction.atomic():
        upload = Upload.objects.create(
            dataset_name=dataset_name, suite=suite, check_only=check_only, created_by=person
        )
        for file in files:
            upload.total_bytes += _keep(upload, file, settings.MAX_UPLOAD_BYTES - upload.total_bytes)
        upload.save(update_fields=["total_bytes"])
    return upload


def _keep(upload: Upload, file: File, most: int) -> int:
    kept = UploadFile.objects.create(upload=upload, name=shown(file.name or "unnamed", 255))
    for position, content in enumerate(file.chunks(PIECE)):
        kept.size += len(content)
        if kept.size > most:
            raise TooLargeError(
                f"The files are larger than {settings.MAX_UPLOAD_BYTES // 1024**2:,} MB together: "
                "upload them in parts, as datasets of their own."
            )
        UploadPiece.objects.create(file=kept, position=position, content=content)
    kept.save(update_fields=["size"])
    return kept.size


def import_checked(upload: Upload) -> None:
    """Make an upload that was only checked ready to be imported; `process` then does it."""
    kept = UploadPiece.objects.filter(file__upload=upload).exists()
    checked = Upload.objects.filter(pk=upload.pk, state=Upload.State.CHECKED)
    if not kept or not checked.update(
        state=Upload.State.WAITING, check_only=False, read_bytes=0, rows=0, started_at=None, message=""
    ):
        raise NotImportableError(
            "These files cannot be imported from here any more: they are imported already, or were removed "
            "a day after the check. Upload them again."
        )
    upload.refresh_from_db()


def process(upload: Upload) -> None:
    """Check or import an upload, unless somebody else is at it or has done it.

    Whoever dies in the middle leaves nothing behind but the state; the next one starts over. Where another
    upload is in its way it goes on waiting, and keeps nobody from their work: the sweep comes back to it.
    """
    with locks.session(f"reading upload {upload.pk}") as own:
        is_ours = locks.take(own, Work.READING, upload.pk)
        upload.refresh_from_db()
        if not is_ours or not upload.under_way:
            return
        upload.state, upload.started_at, upload.message = Upload.State.READING, timezone.now(), ""
        upload.save(update_fields=["state", "started_at", "message"])
        try:
            _read(upload, Progress(upload, own))
        except reserving.BusyError as error:
            _put_off(upload, error)
        except cases.NotForTheseError as error:
            _end(upload, Upload.State.REFUSED, str(error))
        except (OperationalError, InterfaceError):
            raise  # The database went away: the upload waits for it, and is read then.
        except Exception:
            logger.exception("Upload %s failed.", upload.pk)
            _end(upload, Upload.State.FAILED, "Something went wrong on the server, and its log says what.")


def _read(upload: Upload, progress: Progress) -> None:
    """Read an upload and write down what became of it, both or neither."""
    with transaction.atomic():
        reserving.reserve(upload.dataset_name, upload.suite)
        with _sources(upload, progress) as files:
            outcome = _added(upload, files, progress)
        upload.rows, upload.read_bytes = outcome.rows, upload.total_bytes
        upload.problem_count = outcome.problems.count
        upload.problems = [list(problem) for problem in outcome.problems.kept]
        upload.changes = outcome.changes
        upload.version = None if upload.check_only else outcome.version
        upload.save()
        _end(upload, *_verdict(upload, outcome))
        if upload.state == Upload.State.IMPORTED:
            UploadPiece.objects.filter(file__upload=upload).delete()


def _added(upload: Upload, files: list[Source], progress: Progress) -> Outcome:
    return cases.add(
        files,
        dataset=upload.dataset_name,
        suite=upload.suite,
        person=upload.created_by,
        check_only=upload.check_only,
        progress=progress.tell,
    )


def _verdict(upload: Upload, outcome: Outcome) -> tuple[Upload.State, str]:
    """Say in a sentence how it went."""
    same, rows = outcome.version, f"{outcome.rows:,} case{'' if outcome.rows == 1 else 's'}"
    if count := outcome.problems.count:
        listed = len(outcome.problems.kept)
        more = f" The first {listed:,} are listed." if count > listed else ""
        return Upload.State.REFUSED, f"{count:,} problem{'' if count == 1 else 's'} found.{more}"
    if same and not outcome.is_new:
        state = Upload.State.CHECKED if upload.check_only else Upload.State.IMPORTED
        return state, f"Version {same.number} holds exactly the same: there is nothing new to import."
    if upload.check_only:
        return Upload.State.CHECKED, f"{rows} checked, nothing is wrong. Nothing is imported yet."
    return Upload.State.IMPORTED, f"{rows} imported."


def _put_off(upload: Upload, error: reserving.BusyError) -> None:
    upload.state = Upload.State.WAITING
    upload.message = f"It waits for {error}, and starts by itself when that has ended."
    upload.save(update_fields=["state", "message"])


def _end(upload: Upload, state: Upload.State, message: str) -> None:
    upload.state, upload.message, upload.finished_at = state, message, timezone.now()
    upload.save(update_fields=["state", "message", "finished_at"])


@contextmanager
def _sources(upload: Upload, progress: Progress) -> Iterator[list[Source]]:
    """Bring the files out of the database, which is busy while rows go into it."""
    with tempfile.SpooledTemporaryFile(max_size=SMALL, dir=settings.FILE_UPLOAD_TEMP_DIR) as spool:
        files = []
        for file in upload.files.all():
            files.append(Source(file.name, progress.counted(_stretch(spool, spool.tell(), file.size))))
            for pk in file.pieces.order_by("position").values_list("pk", flat=True):
                spool.write(UploadPiece.objects.values_list("content", flat=True).get(pk=pk))
        yield files


def _stretch(spool: IO[bytes], start: int, size: int) -> Iterator[bytes]:
    spool.seek(start)
    while size and (chunk := spool.read(min(size, PIECE))):
        size -= len(chunk)
        yield chunk


def put_off() -> list[int]:
    """List uploads that waited for another one."""
    return _numbers(_PUT_OFF)


def unheard() -> list[int]:
    """List uploads that were put off, or are not done after a minute: nobody may be at work on them."""
    states = (Upload.State.WAITING, Upload.State.READING)
    late = Q(state__in=states, created_at__lt=timezone.now() - _UNHEARD)
    return _numbers(late | _PUT_OFF)


def _numbers(which: Q) -> list[int]:
    return list(Upload.objects.filter(which).order_by("pk").values_list("pk", flat=True))


def sweep() -> int:
    """Remove the pieces of uploads that ended a day ago; say how many were removed."""
    ended = UploadPiece.objects.filter(file__upload__finished_at__lt=timezone.now() - KEPT)
    return ended.exclude(file__upload__state__in=(Upload.State.WAITING, Upload.State.READING)).delete()[0]
