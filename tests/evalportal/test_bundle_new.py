"""Bundles sent to the page: imported at once or by a worker, or refused with the reason; never half."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evalportal import jobs, tasks
from evalportal.bundles import archives, packing, receiving
from evalportal.models import BundleImport
from scoring import runs
from scoring.engine import locks
from scoring.models import Response, Run
from tests.bell_wires import heard
from tests.evalportal import making

pytestmark = pytest.mark.django_db(transaction=True)
SignedIn = Callable[[Any], Client]


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    """A folder of our own for what is sent."""
    settings.VAR = tmp_path
    return tmp_path / "bundleimport"


@pytest.fixture
def bundle() -> bytes:
    """The bundle of a run that is not here any more."""
    run = making.driven(making.dataset(making.ccop_rows({"B2": 3})))
    made = b"".join(packing.pack(runs.get(run.pk)))
    run.delete()
    return made


def _send(client: Client, content: bytes, name: str = "run.bundle.zip") -> Any:
    return client.post(reverse("bundle-new"), {"file": SimpleUploadedFile(name, content)})


def _kept(bundle: bytes, person: Any) -> BundleImport:
    return receiving.receive(SimpleUploadedFile("run.zip", bundle), person)


def test_it_imports_a_small_bundle_at_once(
    bundle: bytes, folder: Path, alice: Any, signed_in: SignedIn
) -> None:
    client = signed_in(alice)
    response = _send(client, bundle)
    made, run = BundleImport.objects.get(), Run.objects.get()
    assert response["Location"] == made.get_absolute_url()
    assert (made.state, made.run, run.responses.count()) == ("done", run, 3)
    page = client.get(response["Location"]).content.decode()
    assert "3 answers on made version 1. It comes to the numbers that the bundle states." in page
    assert run.get_absolute_url() in page
    assert list(folder.iterdir()) == []


def test_it_leaves_a_large_bundle_to_a_worker(
    bundle: bytes, alice: Any, signed_in: SignedIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    rung: list[int] = []
    monkeypatch.setattr(receiving, "SMALL", 0)
    monkeypatch.setattr(tasks.import_bundle, "apply_async", heard(rung))
    client = signed_in(alice)
    page = _send(client, bundle)["Location"]
    assert b"every 1s" in client.get(page).content
    assert not Run.objects.exists()
    tasks.import_bundle(*rung)
    assert b"every 1s" not in client.get(page).content
    assert Run.objects.get().responses.count() == 3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"not a zip file", "This is not a bundle, or it is damaged"),
        (b"", "The submitted file is empty"),
    ],
)
def test_it_says_what_is_wrong_with_a_file(
    content: bytes, said: str, alice: Any, folder: Path, signed_in: SignedIn
) -> None:
    client = signed_in(alice)
    response = _send(client, content)
    page = client.get(response["Location"]) if response.status_code == 302 else response
    assert said in page.content.decode()
    assert not Run.objects.exists()
    assert not folder.exists() or list(folder.iterdir()) == []


def test_it_says_the_same_as_the_command(bundle: bytes, alice: Any, signed_in: SignedIn) -> None:
    client = signed_in(alice)
    _send(client, bundle)
    page = client.get(_send(client, bundle)["Location"]).content.decode()
    assert "This run is here already" in page
    assert Run.objects.count() == 1


def test_it_refuses_a_file_that_is_too_large(
    bundle: bytes, alice: Any, folder: Path, signed_in: SignedIn, settings: Any
) -> None:
    settings.MAX_UPLOAD_BYTES = 1024
    response = _send(signed_in(alice), bundle)
    assert response.status_code == 422
    assert "import_bundle FILE" in response.content.decode()
    assert not BundleImport.objects.exists()
    assert not folder.exists()


def test_it_refuses_what_would_unpack_without_end(monkeypatch: pytest.MonkeyPatch, alice: Any) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", b" " * 1_000_000)
    monkeypatch.setattr(archives, "_LARGEST", 100_000)
    bundle = _kept(made.getvalue(), alice)
    receiving.read(bundle)
    assert (bundle.state, "unpacks to" in bundle.message) == ("refused", True)


def test_it_says_so_when_the_disk_is_full(
    bundle: bytes, alice: Any, folder: Path, signed_in: SignedIn, small_files: Callable[[int], Any]
) -> None:
    client = signed_in(alice)
    with small_files(500):
        response = _send(client, bundle)
    assert response.status_code == 422
    assert "The server cannot keep the file: File too large." in response.content.decode()
    assert list(folder.iterdir()) == []


def test_it_says_so_when_the_file_is_on_another_machine(bundle: bytes, alice: Any) -> None:
    kept = _kept(bundle, alice)
    kept.path.unlink()
    receiving.read(kept)
    assert (kept.state, "must share the folder var/" in kept.message) == ("refused", True)


def test_it_starts_over_where_a_worker_died(bundle: bytes, alice: Any) -> None:
    kept = _kept(bundle, alice)
    long_ago = timezone.now() - timedelta(hours=1)
    BundleImport.objects.update(state="working", started_at=long_ago, created_at=long_ago)
    assert jobs.unheard(BundleImport) == [kept.pk]
    tasks.import_bundle(kept.pk)
    kept.refresh_from_db()
    assert (kept.state, Response.objects.count()) == ("done", 3)


def test_it_does_not_import_twice_what_was_imported_before_its_worker_died(bundle: bytes, alice: Any) -> None:
    kept = _kept(bundle, alice)
    receiving.read(kept)
    BundleImport.objects.update(state="working")
    receiving.read(kept)
    assert (kept.state, Run.objects.count()) == ("done", 1)


def test_it_lets_one_worker_at_a_time_read_a_bundle(bundle: bytes, alice: Any) -> None:
    kept = _kept(bundle, alice)
    with locks.session("a test") as other:
        assert locks.take(other, locks.Work.READING, BundleImport.LOCKS + kept.pk)
        receiving.read(kept)
    assert (kept.state, Run.objects.exists()) == ("waiting", False)


def test_it_tells_how_far_it_is(bundle: bytes, alice: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_SECONDS_BETWEEN_REPORTS", 0)
    kept = _kept(bundle, alice)
    receiving.read(kept)
    kept.refresh_from_db()
    assert kept.rows == kept.total_rows > 6


def test_it_removes_what_was_sent_a_day_ago(bundle: bytes, alice: Any, folder: Path) -> None:
    kept = _kept(bundle, alice)
    BundleImport.objects.filter(pk=kept.pk).update(finished_at=timezone.now() - timedelta(days=2))
    tasks.sweep_jobs()
    assert (BundleImport.objects.count(), list(folder.iterdir())) == (0, [])
