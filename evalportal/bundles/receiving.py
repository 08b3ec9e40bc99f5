"""A bundle that someone sends goes in and is kept on disk; a run comes out, or why there is none."""

from __future__ import annotations

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from evalportal import jobs
from evalportal.bundles import unpacking
from evalportal.bundles.parts import BundleError
from evalportal.exports import files
from evalportal.jobs import JobRefusedError, Tell
from evalportal.models import BundleImport, Person
from scoring.jsonl.reasons import shown

SMALL = 512 * 1024  # up to here a bundle is read within the request


class NotKeptError(ValueError):
    """A file that the portal does not take in; the message says why."""


def receive(file: UploadedFile[bytes], person: Person) -> BundleImport:
    """Keep a file under var/ in pieces, until a worker has read it."""
    if (file.size or 0) > settings.MAX_UPLOAD_BYTES:
        raise NotKeptError(
            f"The file is larger than {settings.MAX_UPLOAD_BYTES // 1024**2:,} MB. "
            "Import it on the server: python manage.py import_bundle FILE."
        )
    bundle = BundleImport(name=shown(file.name or "unnamed", 255), created_by=person)
    bundle.file = jobs.file_name("zip")
    try:
        bundle.path.parent.mkdir(parents=True, exist_ok=True)
        bundle.size = files.save(file.chunks(), bundle.path)
    except OSError as error:
        raise NotKeptError(f"The server cannot keep the file: {error.strerror}.") from error
    bundle.save()
    return bundle


def read(bundle: BundleImport) -> None:
    """Import a bundle, unless somebody else is at it or has done it."""
    jobs.do(bundle, lambda tell: _import(bundle, tell))


def _import(bundle: BundleImport, tell: Tell) -> str:
    if bundle.run is None:
        try:
            with bundle.path.open("rb") as file, transaction.atomic():
                bundle.run = unpacking.unpack(file, tell)
                bundle.save(update_fields=["run"])
        except BundleError as error:
            bundle.path.unlink(missing_ok=True)
            raise JobRefusedError(str(error)) from error
        except FileNotFoundError as error:
            raise JobRefusedError(
                "The file is not here: the web server and the workers must share the folder var/."
            ) from error
    bundle.path.unlink(missing_ok=True)
    return unpacking.statement(bundle.run)
