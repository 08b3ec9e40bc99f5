"""Files that are too large to wait for: ordered, written by a worker, fetched by whoever ordered them."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evalportal import jobs, tasks
from evalportal.bundles import packing
from evalportal.exports import files, formats, making
from evalportal.models import Export
from scoring import runs
from scoring.models import Run
from tests.bell_wires import heard
from tests.evalportal.making import ccop_rows, dataset, driven

pytestmark = pytest.mark.django_db(transaction=True)
SignedIn = Callable[[Any], Client]
SmallFiles = Callable[[int], Any]


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    """A folder of our own for what is written."""
    settings.VAR = tmp_path
    return tmp_path / "export"


@pytest.fixture(autouse=True)
def rung(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bells that workers would hear."""
    numbers: list[int] = []
    monkeypatch.setattr(tasks.make_export, "apply_async", heard(numbers))
    return numbers


@pytest.fixture
def run() -> Run:
    """A final run."""
    return runs.get(driven(dataset(ccop_rows({"B2": 4}))).pk)


def _order(client: Client, run: Run, what: str = "results", name: str = "csv") -> Any:
    return client.post(reverse("export-new", args=[run.pk]), {"what": what, "format": name})


def test_it_offers_links_for_what_is_small_and_orders_for_what_is_large(
    run: Run, dan: Any, signed_in: SignedIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, page = signed_in(dan), reverse("run-export", args=[run.pk])
    assert b"format=parquet" in client.get(page).content
    monkeypatch.setattr(making, "LARGE", 3)
    content = client.get(page).content.decode()
    assert "format=parquet" not in content
    assert content.count(reverse("export-new", args=[run.pk])) == 5


def test_it_writes_what_a_download_would_hold_and_links_to_it(
    run: Run, dan: Any, rung: list[int], signed_in: SignedIn
) -> None:
    client = signed_in(dan)
    page = _order(client, run)["Location"]
    assert b"every 1s" in client.get(page).content
    tasks.make_export(*rung)
    content = client.get(page).content.decode()
    assert "every 1s" not in content
    export = Export.objects.get()
    assert reverse("export-file", args=[export.pk]) in content
    file: Any = client.get(reverse("export-file", args=[export.pk]))
    assert b"".join(file) == b"".join(formats.export(run, "results", "csv"))
    assert f'filename="run-{run.pk}-results.csv"' in file["Content-Disposition"]


def test_it_makes_bundles_the_same_way(run: Run, dan: Any, rung: list[int], signed_in: SignedIn) -> None:
    client = signed_in(dan)
    _order(client, run, "bundle", "zip")
    tasks.make_export(*rung)
    export = Export.objects.get()
    assert (export.state, export.size) == ("done", export.path.stat().st_size)
    assert export.path.read_bytes()[:2] == b"PK"
    assert export.total_rows == packing.rows(run)


@pytest.mark.parametrize(("what", "name"), [("secrets", "csv"), ("results", "exe"), ("", "")])
def test_it_refuses_what_it_does_not_know(
    run: Run, what: str, name: str, dan: Any, signed_in: SignedIn
) -> None:
    page = _order(signed_in(dan), run, what, name)
    assert page.status_code == 422
    assert b"There is no export" in page.content
    assert not Export.objects.exists()


def test_it_gives_a_file_only_to_whoever_ordered_it(
    run: Run, alice: Any, bob: Any, dan: Any, rung: list[int], signed_in: SignedIn
) -> None:
    _order(signed_in(dan), run)
    tasks.make_export(*rung)
    for page in ("export-detail", "export-progress", "export-file"):
        assert signed_in(alice).get(reverse(page, args=rung)).status_code == 404
    assert _order(signed_in(bob), run, "marks").status_code == 403
    assert _order(signed_in(bob), run, "bundle", "zip").status_code == 403


def test_it_says_that_a_file_is_not_there_yet(
    run: Run, dan: Any, rung: list[int], signed_in: SignedIn
) -> None:
    client = signed_in(dan)
    _order(client, run)
    assert client.get(reverse("export-file", args=rung)).status_code == 404


def test_it_leaves_no_half_file_where_the_disk_is_full(
    run: Run, dan: Any, folder: Path, small_files: SmallFiles
) -> None:
    export = making.order(run, "results", "json", dan)
    with small_files(2_000):
        making.make(export)
    assert export.state == "failed"
    assert export.message == "The server cannot write or read the file: File too large."
    assert list(folder.iterdir()) == []


def test_it_leaves_no_half_file_where_the_command_runs_out_of_disk(
    run: Run, tmp_path: Path, small_files: SmallFiles
) -> None:
    path = tmp_path / "results.json"
    path.write_text("an older export")
    with small_files(2_000), pytest.raises(CommandError, match=r"results\.json cannot be written: File too"):
        call_command("export_run", run.pk, name="json", output=path, stderr=io.StringIO())
    assert path.read_text() == "an older export"
    assert list(tmp_path.iterdir()) == [path]


def test_it_leaves_no_half_file_where_the_pieces_end_in_an_error(tmp_path: Path) -> None:
    def pieces() -> Any:
        yield b"half"
        raise ConnectionError("The database went away.")

    with pytest.raises(ConnectionError):
        files.save(pieces(), tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


def test_it_rings_again_for_what_nobody_makes_and_forgets_what_nobody_fetched(
    run: Run, dan: Any, rung: list[int], folder: Path
) -> None:
    late, old = making.order(run, "results", "csv", dan), making.order(run, "results", "json", dan)
    making.make(old)
    now = timezone.now()
    Export.objects.filter(pk=late.pk).update(created_at=now - timedelta(minutes=5))
    Export.objects.filter(pk=old.pk).update(finished_at=now - jobs.KEPT * 2)
    tasks.sweep_jobs()
    assert rung == [late.pk]
    assert (list(Export.objects.all()), list(folder.iterdir())) == ([late], [])
