"""Uploading cases in the browser: all of them are in, or every wrong line is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from scoring.models import Case, Upload, Version
from tests.scoring.conftest import ccop_row
from tests.uploads.rows import lines

SignedIn = Callable[[Any], Client]
PATH = "/uploads/new/"


def _upload(client: Client, *contents: bytes, action: str = "import", **changes: Any) -> Any:
    files = [SimpleUploadedFile(f"b{number:02d}.jsonl", content) for number, content in enumerate(contents)]
    form = {"files": files, "suite": "ccop", "dataset_name": "gaps", "action": action}
    return client.post(PATH, form | changes, follow=True)


def test_it_imports_cases(alice: Any, signed_in: SignedIn) -> None:
    page = _upload(signed_in(alice), lines(ccop_row(1), ccop_row(2)))
    assert "Open version 1" in page.content.decode()
    assert sorted(Case.objects.values_list("key", flat=True)) == ["B7-001", "B7-002"]


def test_it_takes_several_files_as_one_version(alice: Any, signed_in: SignedIn) -> None:
    _upload(signed_in(alice), lines(ccop_row(1)), lines(ccop_row(1, benchmark=8)))
    assert Version.objects.get().case_count == 2


def test_it_names_every_wrong_line_and_saves_nothing(alice: Any, signed_in: SignedIn) -> None:
    wrong = ccop_row(2, question="Too short", key_facts=["One"])
    page = _upload(signed_in(alice), lines(ccop_row(1), wrong)).content.decode()
    assert "2 problems" in page
    assert "<code>question</code>" in page
    assert "<code>key_facts</code>" in page
    assert not Case.objects.exists()


def test_it_gives_the_list_of_wrong_lines_without_formulas(alice: Any, signed_in: SignedIn) -> None:
    client = signed_in(alice)
    _upload(client, lines(ccop_row(1, difficulty="=cmd()")))
    upload = Upload.objects.get()
    Upload.objects.update(problems=[["=evil.jsonl", 1, "difficulty", "@wrong"]])
    listed = client.get(f"/uploads/{upload.pk}/problems/").content.decode().splitlines()
    assert listed == ["file,line,field,reason", "'=evil.jsonl,1,difficulty,'@wrong"]


def test_it_checks_without_saving_and_imports_what_was_checked(alice: Any, signed_in: SignedIn) -> None:
    client = signed_in(alice)
    page = _upload(client, lines(ccop_row(1)), action="check")
    assert "Import 1 case" in page.content.decode()
    assert not Case.objects.exists()
    client.post(f"/uploads/{Upload.objects.get().pk}/import/")
    assert Case.objects.count() == 1


def test_it_says_that_nothing_changed(alice: Any, signed_in: SignedIn) -> None:
    client = signed_in(alice)
    _upload(client, lines(ccop_row(1)))
    _upload(client, lines(ccop_row(1)))
    assert Version.objects.count() == 1


def test_it_shows_what_changed_since_the_version_before(alice: Any, signed_in: SignedIn) -> None:
    client = signed_in(alice)
    _upload(client, lines(ccop_row(1), ccop_row(2)))
    _upload(client, lines(ccop_row(1, expected_response="Close them, and review the rights."), ccop_row(3)))
    page = client.get("/datasets/gaps/2/").content.decode()
    assert "1 added · 1 changed · 1 removed" in page
    assert "<del>" in page
    assert "expected_response" in page


def test_it_refuses_another_suite_for_a_known_dataset(alice: Any, signed_in: SignedIn) -> None:
    client = signed_in(alice)
    _upload(client, lines(ccop_row(1)))
    page = _upload(client, lines({"id": 1}), suite="rgb")
    assert page.status_code == 422
    assert "holds cases of the suite ccop" in page.content.decode()


def test_it_refuses_files_that_are_too_large(alice: Any, signed_in: SignedIn, settings: Any) -> None:
    settings.MAX_UPLOAD_BYTES = 100
    page = _upload(signed_in(alice), lines(ccop_row(1)))
    assert page.status_code == 422
    assert not Upload.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"), [("dataset_name", "Not a slug!"), ("suite", "nonsense"), ("files", "")]
)
def test_it_says_which_field_is_wrong(alice: Any, signed_in: SignedIn, field: str, value: str) -> None:
    page = _upload(signed_in(alice), lines(ccop_row(1)), **{field: value})
    assert page.status_code == 422
    assert field in page.context["form"].errors


def test_it_names_the_file_that_is_empty(alice: Any, signed_in: SignedIn) -> None:
    page = _upload(signed_in(alice), lines(ccop_row(1)), b"", lines(ccop_row(2)))
    assert page.status_code == 422
    assert page.context["form"].errors["files"] == ["b01.jsonl: The submitted file is empty."]


def test_it_says_how_many_files_it_takes_at_once(alice: Any, signed_in: SignedIn) -> None:
    page = _upload(signed_in(alice), *(lines(ccop_row(number)) for number in range(101)))
    assert page.status_code == 400
    assert "More than 100 files came at once: send them in several parts" in page.content.decode()
    assert 'class="shell"' in page.content.decode()


def test_it_leaves_large_files_to_a_worker(alice: Any, signed_in: SignedIn, monkeypatch: Any) -> None:
    from scoring import receiving

    monkeypatch.setattr(receiving, "SMALL", 10)
    page = _upload(signed_in(alice), lines(ccop_row(1))).content.decode()
    assert "Waiting for a worker" in page
    assert 'hx-trigger="every 1s"' in page


def test_it_stops_asking_once_there_is_nothing_to_wait_for(alice: Any, signed_in: SignedIn) -> None:
    client = signed_in(alice)
    _upload(client, lines(ccop_row(1)))
    page = client.get(f"/uploads/{Upload.objects.get().pk}/progress/").content.decode()
    assert "hx-trigger" not in page
