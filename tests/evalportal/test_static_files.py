"""Static files as they are served outside the tests: collected, hashed, compressed, and kept by browsers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client, override_settings

pytestmark = pytest.mark.django_db


def _as_served(folder: Path) -> dict[str, Any]:
    """Return the settings that a portal has without DEBUG."""
    storage = {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}
    return {"STORAGES": {**settings.STORAGES, "staticfiles": storage}, "STATIC_ROOT": folder}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files, collected once."""
    folder = tmp_path_factory.mktemp("static")
    with override_settings(**_as_served(folder)):
        call_command("collectstatic", interactive=False, verbosity=0)
    return folder


@pytest.fixture(autouse=True)
def collected(folder: Path) -> Iterator[None]:
    """Serve the collected files."""
    with override_settings(**_as_served(folder)):
        yield


def _named(page: str) -> list[str]:
    return re.findall(r'(?:href|src)="(/static/[^"]+)"', page)


def test_it_names_hashed_files_that_browsers_may_keep(client: Client, alice: Any) -> None:
    client.force_login(alice)
    paths = {
        path for url in ("/", "/runs/", "/leaderboard/") for path in _named(client.get(url).content.decode())
    }
    assert len(paths) >= 4
    for path in paths:
        assert re.search(r"\.[0-9a-f]{12}\.\w+$", path)
        response = client.get(path, headers={"Accept-Encoding": "br"})
        assert (response.status_code, "immutable" in response["Cache-Control"]) == (200, True)


def test_it_sends_the_large_ones_compressed(client: Client) -> None:
    (path,) = [
        path for path in _named(client.get("/sign-in/").content.decode()) if "site" in path and "css" in path
    ]
    assert client.get(path, headers={"Accept-Encoding": "br"})["Content-Encoding"] == "br"


def test_it_draws_error_pages_with_hashed_files_too(client: Client) -> None:
    response = client.get("/", headers={"Host": "portal.example.org"})
    assert response.status_code == 400
    assert all(client.get(path).status_code == 200 for path in _named(response.content.decode()))
