"""A run and a person go in; a file that is too large to wait for is ordered, and made by whoever has time."""

from __future__ import annotations

from collections.abc import Iterator

from evalportal import jobs
from evalportal.bundles import packing
from evalportal.bundles.parts import BundleError
from evalportal.exports import files, formats, tables
from evalportal.jobs import JobRefusedError, Tell
from evalportal.models import Export, Person
from scoring import runs
from scoring.models import Run

BUNDLE = ("bundle", "zip")
# Above so many rows nobody waits for a download to end.
LARGE = 20_000


def is_large(run: Run) -> bool:
    """Say whether the files of a run are made by a worker, with a link when they are ready."""
    return bool(run.summary.get("answers", {}).get("wanted", 0) > LARGE)


def order(run: Run, what: str, name: str, person: Person) -> Export:
    """Take note of a file that somebody wants, or refuse one that there cannot be."""
    if (what, name) == BUNDLE:
        packing.check(run)
        total = packing.rows(run)
    else:
        formats.check(what, name)
        total = tables.COUNTS[what](run)
    return Export.objects.create(
        run=run,
        what=what,
        format=name,
        total_rows=total,
        created_by=person,
        file=jobs.file_name(name),
    )


def make(export: Export) -> None:
    """Write the file, unless somebody else does or has done it."""
    jobs.do(export, lambda tell: _write(export, tell))


def _write(export: Export, tell: Tell) -> str:
    export.path.parent.mkdir(parents=True, exist_ok=True)
    try:
        export.size = files.save(_pieces(export, tell), export.path)
    except BundleError as error:
        raise JobRefusedError(str(error)) from error
    export.save(update_fields=["size"])
    return "The file is ready. It is kept for a day."


def _pieces(export: Export, tell: Tell) -> Iterator[bytes]:
    run = runs.get(export.run_id)

    def told(rows: int) -> None:
        tell(rows, export.total_rows)

    if (export.what, export.format) == BUNDLE:
        return packing.pack(run, told)
    return formats.export(run, export.what, export.format, told)
