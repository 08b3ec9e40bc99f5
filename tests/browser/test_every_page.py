"""Every page in a real browser: accessible, without script errors, in light and dark, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from evalportal import people
from evalportal.views import doors
from scoring import cases, runs
from scoring.engine import local
from scoring.models import Case, Endpoint, Response, Run, Upload, Version
from scoring.uploads import Source
from tests.browser.conftest import RULES

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
# How a page is looked at, and the rules that another look at the same page can break.
VIEWS: dict[str, tuple[str, int, tuple[str, ...]]] = {
    "light": ("light", 1280, RULES),
    "dark": ("dark", 1280, ("color-contrast",)),
    "narrow": ("light", 390, ("target-size", "scrollable-region-focusable")),
}


def _import(suite: str, change: Callable[[bytes], bytes] = bytes) -> Version:
    paths = sorted((SAMPLES / suite).glob("*.jsonl"))
    files = [Source(path.name, [change(path.read_bytes())]) for path in paths]
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


def _other_rows(content: bytes) -> bytes:
    """Remove the first row, and change the second."""
    return content.split(b"\n", 1)[1].replace(b'"question": "', b'"question": "Today: ', 1)


def _pages(alice: Any) -> dict[str, str]:
    """Fill the portal, and list every page that an admin can open, by a name for its picture."""
    _import("cybersec")
    changed = _import("cybersec", _other_rows)
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
    under_way = Upload.objects.create(
        dataset_name="mine", suite="ccop", state="reading", created_by=alice, total_bytes=900, read_bytes=300
    )
    draft, begun = runs.again(run), runs.again(run)
    runs.start(begun)
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
        "changes": changed.get_absolute_url(),
        "upload": "/uploads/new/",
        "refused": refused.get_absolute_url(),
        "under-way": under_way.get_absolute_url(),
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
        "draft": draft.get_absolute_url(),
        "delete-run": f"/runs/{draft.pk}/delete/",
        "cancel-run": f"/runs/{begun.pk}/cancel/",
        "run": run.get_absolute_url(),
        "answer": response.get_absolute_url(),
        "handbook": "/handbook/",
        "metric": "/handbook/key_fact_recall/",
    }


def test_it_is_accessible_everywhere(
    open_page: Callable[..., Page],
    accessible: Callable[..., None],
    picture: Callable[[Page, str], None],
    alice: Any,
) -> None:
    pages = _pages(alice)
    page = open_page("/", alice)
    for name, path in pages.items():
        page.goto(path)
        for view, (colours, width, rules) in VIEWS.items():
            page.emulate_media(color_scheme=colours)  # type: ignore[arg-type]
            page.set_viewport_size({"width": width, "height": 900})
            accessible(page, rules)
            picture(page, f"{name}-{view}")
            taken = page.evaluate("document.documentElement.scrollWidth")
            assert taken <= width, f"{path} is {taken} pixels wide in {width}"
        page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.parametrize("person", ["bob", "dan"])
def test_it_greets_reviewers_and_managers(
    person: str,
    request: pytest.FixtureRequest,
    open_page: Callable[..., Page],
    accessible: Callable[..., None],
    picture: Callable[[Page, str], None],
) -> None:
    page = open_page("/", request.getfixturevalue(person))
    accessible(page)
    picture(page, f"home-{person}")
    assert page.get_by_role("link", name="People").count() == 0


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_is_accessible_at_the_door(
    dark: bool,
    open_page: Callable[..., Page],
    accessible: Callable[..., None],
    picture: Callable[[Page, str], None],
    settings: Any,
) -> None:
    page = open_page("/sign-in/", dark=dark)
    _look(page, "Nobody can sign in yet", accessible, picture)
    eve = people.invite(username="eve", name="Eve", role="reviewer", by=None)
    settings.DEMO = True
    page.goto("/sign-in/")
    _look(page, "People of this demo", accessible, picture)
    page.goto(people.invitation_path(eve))
    _look(page, "Welcome, Eve", accessible, picture)
    page.goto("/welcome/MQ/made-up/")
    _look(page, "This link no longer works", accessible, picture)


def test_it_shows_errors_in_its_own_face(
    open_page: Callable[..., Page],
    accessible: Callable[..., None],
    picture: Callable[[Page, str], None],
    bob: Any,
    settings: Any,
) -> None:
    page = open_page("/", bob)
    page.goto("/nothing-here/")
    _look(page, "There is nothing here", accessible, picture)
    page.goto("/people/")
    _look(page, "You may not open this page", accessible, picture)
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 1
    page.goto("/cases/?q=a&dataset=b")
    _look(page, "The portal cannot take this", accessible, picture)
    settings.ALLOWED_HOSTS = ["portal.example.org"]
    page.goto("/")
    _look(page, "The portal has another name", accessible, picture)


def test_it_refuses_forms_in_its_own_face(
    open_page: Callable[..., Page],
    accessible: Callable[..., None],
    picture: Callable[[Page, str], None],
    bob: Any,
) -> None:
    page = open_page("/sign-in/")
    page.locator("input[name=next]").evaluate("field => { field.value = 'x'.repeat(70000) }")
    _send(page)
    _look(page, "This is too large", accessible, picture)
    page.goto("/sign-in/")
    page.context.clear_cookies()
    _send(page)
    _look(page, "This form has expired", accessible, picture)


def test_it_breaks_in_its_own_face(
    chromium: Browser,
    live_server: Any,
    accessible: Callable[..., None],
    picture: Callable[[Page, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(doors, "SignInForm", None)
    page = chromium.new_page(base_url=live_server.url)
    page.goto("/sign-in/")
    _look(page, "Something broke on our side", accessible, picture)
    page.context.close()


def _send(page: Page) -> None:
    page.get_by_label("User name").fill("bob")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in", exact=True).click()


def _look(
    page: Page, words: str, accessible: Callable[..., None], picture: Callable[[Page, str], None]
) -> None:
    expect(page.get_by_role("heading", name=words)).to_be_visible()
    accessible(page)
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    picture(page, f"{words.lower().replace(' ', '-')}-{'dark' if dark else 'light'}")
