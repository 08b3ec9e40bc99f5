"""Boards and files by real workers: kept when a run is scored, written and read without any visitor."""

from __future__ import annotations

import io
import zipfile

from django.core.files.uploadedfile import SimpleUploadedFile

from benchmarks.mock_server import Remote
from evalportal import tasks as jobs
from evalportal.bundles import receiving
from evalportal.exports import making
from evalportal.models import BoardEntry, Person, Ranking
from scoring import tasks
from scoring.models import Run
from tests.engine.conftest import Engine, until
from tests.engine.making import endpoint, started, version


def test_it_keeps_the_board_and_makes_files_without_being_asked_twice(engine: Engine, mock: Remote) -> None:
    run = started(version(30, benchmark="B2"), endpoint(mock.url, most=10))
    engine.worker()
    engine.beat()
    tasks.ring_for(run)
    until(lambda: BoardEntry.objects.filter(scoring__run=run).exists() and Ranking.objects.exists(), 120)

    person, _ = Person.objects.get_or_create(username="files", name="Files", role="admin")
    export = making.order(Run.objects.get(pk=run.pk), "bundle", "zip", person)
    jobs.make_export.delay(export.pk)
    until(lambda: type(export).objects.get(pk=export.pk).state == "done")
    bundle = export.path.read_bytes()
    assert zipfile.ZipFile(io.BytesIO(bundle)).testzip() is None

    kept = receiving.receive(SimpleUploadedFile("run.zip", bundle), person)
    jobs.import_bundle.delay(kept.pk)
    until(lambda: type(kept).objects.get(pk=kept.pk).state == "refused")
    kept.refresh_from_db()
    assert kept.message == f"This run is here already: it is run {run.pk}, {run.name}."
    export.path.unlink()
