"""What is too large or cannot be understood: refused before it is read, with a page that says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile, TemporaryUploadedFile
from django.http import HttpRequest
from django.test import Client
from django.urls import reverse

SignedIn = Callable[[Any], Client]
LARGE = b"x" * (3 * 1024 * 1024)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note every file that is written to the disk, and every body that is read."""
    noted: list[str] = []
    load, spool = HttpRequest._load_post_and_files, TemporaryUploadedFile.__init__

    def loading(self: HttpRequest) -> None:
        noted.append("body")
        load(self)

    def spooling(self: TemporaryUploadedFile, *args: Any, **kwargs: Any) -> None:
        noted.append("file")
        spool(self, *args, **kwargs)

    monkeypatch.setattr("django.core.handlers.wsgi.WSGIRequest._load_post_and_files", loading)
    monkeypatch.setattr(TemporaryUploadedFile, "__init__", spooling)
    return noted


def _upload(client: Client, tmp_path: Any) -> Any:
    file = tmp_path / "cases.jsonl"
    file.write_bytes(LARGE)
    with file.open("rb") as content:
        return client.post(
            reverse("scoring:upload-new"), {"files": content, "dataset_name": "x", "suite": "ccop"}
        )


def test_it_reads_nothing_large_from_strangers(db: None, tmp_path: Any, read: list[str]) -> None:
    response = _upload(Client(enforce_csrf_checks=True), tmp_path)
    assert (response.status_code, read) == (413, [])
    assert "Only people who are signed in may send files." in response.content.decode()


def test_it_takes_the_same_from_an_admin(
    alice: Any, signed_in: SignedIn, tmp_path: Any, read: list[str]
) -> None:
    assert _upload(signed_in(alice), tmp_path).status_code in {302, 422}
    assert read == ["body", "file"]


def test_it_reads_nothing_that_is_larger_than_an_upload_may_be(
    alice: Any, signed_in: SignedIn, tmp_path: Any, read: list[str], settings: Any
) -> None:
    settings.MAX_UPLOAD_BYTES = 1024 * 1024
    response = _upload(signed_in(alice), tmp_path)
    assert (response.status_code, read) == (413, [])
    assert "The portal takes 1.0\xa0MB at once." in response.content.decode()


def test_it_takes_a_form_with_a_length_that_makes_no_sense(client: Client, db: None) -> None:
    assert client.post("/sign-in/", {"username": "x"}, CONTENT_LENGTH="many").status_code == 422


def test_it_says_that_the_fields_of_a_form_are_too_large(
    alice: Any, signed_in: SignedIn, settings: Any
) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    response = signed_in(alice).post("/people/invite/", {"name": "x" * 2000})
    assert response.status_code == 413
    assert "More text came at once than a form may hold" in response.content.decode()


def test_it_says_that_a_form_cannot_be_understood(alice: Any, signed_in: SignedIn, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 2
    response = signed_in(alice).post("/people/invite/", {"name": "x", "username": "x", "role": "x"})
    assert response.status_code == 400
    assert "The portal cannot take this" in response.content.decode()


def test_it_says_how_many_files_it_takes_at_once(alice: Any, signed_in: SignedIn, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_NUMBER_FILES = 1
    files = {name: SimpleUploadedFile(name, b"{}") for name in ("one", "two")}
    response = signed_in(alice).post(reverse("scoring:upload-new"), files)
    assert response.status_code == 400
    assert "More than 1 files came at once: send them in several parts" in response.content.decode()


def test_it_names_the_setting_when_it_is_asked_under_another_name(
    client: Client, django_assert_num_queries: Any, db: None
) -> None:
    with django_assert_num_queries(0):
        response = client.get("/", headers={"Host": "portal.example.org"})
    assert response.status_code == 400
    assert "<code>ALLOWED_HOSTS</code>" in response.content.decode()
