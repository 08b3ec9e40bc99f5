"""Every page in a real browser: accessible, without script errors, in light and dark, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import Page

from scoring import cases, runs
from scoring.engine import local
from scoring.models import Case, Endpoint, Response, Run, Upload, Version
from scoring.uploads import Source

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
VIEWS: dict[str, dict[str, Any]] = {"light": {}, "dark": {"dark": True}, "narrow": {"width": 390}}


def _import(suite: str) -> Version:
    files = [Source(path.name, [path.read_bytes()]) for path in sorted((SAMPLES / suite).glob("*.jsonl"))]
    outcome = cases.add(files, dataset=f"{suite}-samples", suite=suite)
    assert outcome.version
    return outcome.version


def _scored_run(version: Version, alice: Any) -> Run:
    endpoint = Endpoint.objects.create(name="Parrot", gateway="echo", model="echo")
    run = Run.objects.create(
        name="Parrot, baseline",
        version=version,
        endpoint=endpoint,
        created_by=alice,
        benchmarks=["B1", "B7", "B21"],
    )
    runs.start(run)
    local.drive(run.pk, Event())
    return run


def _pages(alice: Any) -> dict[str, str]:
    """Fill the portal, and list every page that an admin can open, by a name for its picture."""
    _import("cybersec")
    _import("rgb")
    run = _scored_run(_import("ccop"), alice)
    problem = ["b01.jsonl", 3, "key_facts", "It holds 2 facts; give 3 to 8."]
    refused = Upload.objects.create(
        dataset_name="mine",
        suite="ccop",
        state="refused",
        created_by=alice,
        problem_count=1,
        problems=[problem],
    )
    response = Response.objects.filter(run=run).first()
    assert response
    return {
        "home": "/",
        "account": "/account/",
        "people": "/people/",
        "person": f"/people/{alice.pk}/",
        "invite": "/people/invite/",
        "link": f"/people/{alice.pk}/link/",
        "datasets": "/datasets/",
        "dataset": "/datasets/ccop-samples/",
        "version": "/datasets/ccop-samples/1/",
        "upload": "/uploads/new/",
        "refused": refused.get_absolute_url(),
        "cases": "/cases/?dataset=ccop-samples",
        "no-case": "/cases/?q=nothing-like-it",
        **{
            f"case-{case.suite}": case.get_absolute_url()
            for case in Case.objects.order_by("suite").distinct("suite")
        },
        "benchmarks": "/benchmarks/",
        "models": "/models/",
        "model": f"/models/{run.endpoint_id}/",
        "new-model": "/models/new/",
        "runs": "/runs/",
        "new-run": "/runs/new/",
        "run": run.get_absolute_url(),
        "answer": response.get_absolute_url(),
        "handbook": "/handbook/",
        "metric": "/handbook/key_fact_recall/",
    }


def test_it_is_accessible_everywhere(
    open_page: Callable[..., Page],
    accessible: Callable[[Page], None],
    picture: Callable[[Page, str], None],
    alice: Any,
) -> None:
    pages = _pages(alice)
    for view, options in VIEWS.items():
        page = open_page("/", alice, **options)
        for name, path in pages.items():
            page.goto(path)
            accessible(page)
            picture(page, f"{name}-{view}")
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= page.viewport_size["width"], f"{path} is {width} pixels wide"  # type: ignore[index]


@pytest.mark.parametrize("person", ["bob", "dan"])
def test_it_greets_reviewers_and_managers(
    person: str,
    request: pytest.FixtureRequest,
    open_page: Callable[..., Page],
    accessible: Callable[[Page], None],
    picture: Callable[[Page, str], None],
) -> None:
    page = open_page("/", request.getfixturevalue(person))
    accessible(page)
    picture(page, f"home-{person}")
    assert page.get_by_role("link", name="People").count() == 0


def test_it_shows_errors_in_its_own_face(
    open_page: Callable[..., Page], accessible: Callable[[Page], None], bob: Any
) -> None:
    page = open_page("/", bob)
    for path, words in {
        "/nothing-here/": "There is nothing here",
        "/people/": "You may not open this page",
    }.items():
        page.goto(path)
        assert page.get_by_text(words).is_visible()
        accessible(page)
