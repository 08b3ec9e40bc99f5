"""Files in a real browser: exports, their jobs and bundles, accessible, in light and dark, wide or narrow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from evalportal import tasks
from evalportal.bundles import packing, receiving
from evalportal.exports import making
from evalportal.models import BundleImport, Export
from scoring import runs
from tests.bell_wires import heard
from tests.evalportal.making import ccop_rows, dataset, driven

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

VIEWS: dict[str, dict[str, Any]] = {"light": {}, "dark": {"dark": True}, "narrow": {"width": 390}}


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Path) -> None:
    settings.VAR = tmp_path


def test_it_shows_files_and_jobs_to_everyone(
    open_page: Callable[..., Page],
    accessible: Callable[[Page], None],
    picture: Callable[[Page, str], None],
    alice: Any,
) -> None:
    run = driven(dataset(ccop_rows({"B2": 6})))
    export = making.order(run, "results", "csv", alice)
    made = making.order(run, "results", "json", alice)
    making.make(made)
    refused = BundleImport.objects.create(
        name="run-9.bundle.zip", file="9.zip", state="refused", created_by=alice, message="It is damaged."
    )
    Export.objects.filter(pk=export.pk).update(state="working", rows=30_000, total_rows=100_000)
    pages = {
        "export": f"/runs/{run.pk}/export/",
        "export-under-way": export.get_absolute_url(),
        "export-ready": made.get_absolute_url(),
        "bundle-new": "/runs/import/",
        "bundle-refused": refused.get_absolute_url(),
        "runs": "/runs/",
        "run": run.get_absolute_url(),
    }
    for view, options in VIEWS.items():
        page = open_page("/", alice, **options)
        for name, path in pages.items():
            page.goto(path)
            accessible(page)
            picture(page, f"{name}-{view}")
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= page.viewport_size["width"], f"{path} is {width} pixels wide"  # type: ignore[index]


def test_it_takes_a_run_from_one_portal_to_another(
    open_page: Callable[..., Page], alice: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = driven(dataset(ccop_rows({"B2": 3})), name="From elsewhere")
    file = tmp_path / "run.bundle.zip"
    file.write_bytes(b"".join(packing.pack(runs.get(run.pk))))
    run.delete()
    monkeypatch.setattr(receiving, "SMALL", 0)
    rung: list[int] = []
    monkeypatch.setattr(tasks.import_bundle, "apply_async", heard(rung))
    page = open_page("/runs/", alice)
    page.get_by_role("link", name="Import a bundle").click()
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Check and import").click()
    page.get_by_text("Waiting for a worker").wait_for()
    tasks.import_bundle(*rung)
    page.get_by_role("link", name="Open the run").click()
    page.get_by_role("heading", name="From elsewhere").wait_for()
