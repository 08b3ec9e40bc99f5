"""A run from Start to its end in a real browser, with a real worker and a model server that can fail."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from benchmarks import mock_server
from benchmarks.mock_server import Remote
from scoring.models import Run
from tests.bell_wires import ringing_at
from tests.engine.conftest import Broker, Engine
from tests.engine.making import endpoint, version

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CASES, FAILING = 300, 11
SLOW = 60_000
VIEWS: dict[str, dict[str, Any]] = {"light": {}, "dark": {"dark": True}, "narrow": {"width": 390}}
Open = Callable[..., Page]
Look = Callable[[str], None]


@pytest.fixture
def engine(live_server: Any) -> Iterator[Engine]:
    """Let workers use the very database that the pages of this test show, and a broker of their own."""
    from django.db import connection

    folder = Path(tempfile.mkdtemp(prefix="evalportal-browser-"))
    broker = Broker(folder)
    broker.start()
    database = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}")
    started = Engine(folder, database.geturl(), broker, postmaster=folder)
    with ringing_at(broker.url):
        yield started
    started.stop()
    broker.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def mock() -> Iterator[Remote]:
    """Serve a model that takes half a second for each answer."""
    with mock_server.running("--latency", "0.5") as remote:
        yield remote


@pytest.fixture
def look(
    open_page: Open, accessible: Callable[[Page], None], picture: Callable[[Page, str], None], alice: Any
) -> Look:
    """Look at the only run there is, in light, in dark and on a telephone, and keep pictures."""
    pages = {view: open_page("/", alice, **options) for view, options in VIEWS.items()}

    def at(name: str) -> None:
        for view, page in pages.items():
            page.goto(Run.objects.get().get_absolute_url())
            accessible(page)
            picture(page, f"run-{name}-{view}")

    return at


def test_it_runs_from_start_to_final_with_a_pause_and_a_retry(
    open_page: Open, look: Look, engine: Engine, mock: Remote, alice: Any
) -> None:
    too_long = {"fault": "status=400 message=the_prompt_is_too_long", "match": "Question 5"}
    mock.control(faults=[too_long])
    page = _start(open_page, mock, alice)

    _it_says_that_nobody_listens(page, look)
    engine.worker()
    engine.beat()
    _it_shows_how_far_it_is(page, look)
    _it_leaves_the_keyboard_where_it_is(page)
    _it_pauses(page, mock, look)
    _it_goes_on(page, mock)
    _it_ends_with_what_failed(page, look)
    _it_asks_again_only_what_failed(page, mock, look)


def _start(open_page: Open, mock: Remote, alice: Any) -> Page:
    """Choose a version and a model, and press Start."""
    chosen, model = version(CASES), endpoint(mock.url, most=3)
    page = open_page("/runs/new/", alice)
    page.get_by_label("Name").fill("Mock, baseline")
    page.get_by_label("Dataset version").select_option(str(chosen.pk))
    page.get_by_label("Model", exact=True).select_option(str(model.pk))
    expect(page.locator("#run-estimate")).to_contain_text(str(CASES))
    page.get_by_role("button", name="Start run").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Mock, baseline")
    return page


def _it_says_that_nobody_listens(page: Page, look: Look) -> None:
    expect(_state(page)).to_have_text("Queued")
    expect(page.get_by_text("No worker is listening on inference (the model is not asked)")).to_be_visible()
    look("unheard")


def _it_shows_how_far_it_is(page: Page, look: Look) -> None:
    """Watch without touching: the page follows by itself."""
    expect(_state(page)).to_have_text("Running", timeout=SLOW)
    expect(page.get_by_text("No worker is listening")).to_have_count(0, timeout=SLOW)
    expect(page.locator("#live")).to_contain_text("The run is running. Answers: 0 % through.")
    expect(_stage(page, "Answers")).to_have_text(re.compile(rf"[1-9]\d* of {CASES} .*a second"), timeout=SLOW)
    expect(_stage(page, "Scores")).to_have_text(re.compile(r"[1-9]\d* of \d+"), timeout=SLOW)
    look("running")


def _it_leaves_the_keyboard_where_it_is(page: Page) -> None:
    """Wait for the part with the buttons to be swapped twice."""
    pause = page.get_by_role("button", name="Pause")
    pause.focus()
    for _ in range(2):
        with page.expect_response(re.compile("/progress/")):
            pass
    expect(pause).to_be_focused()


def _it_pauses(page: Page, mock: Remote, look: Look) -> None:
    page.get_by_role("button", name="Pause").click()
    expect(_state(page)).to_have_text("Paused")
    expect(page.get_by_text("Paused by hand.")).to_be_visible()
    page.wait_for_timeout(1000)
    sent = mock.counts()["requests"]
    look("paused")
    page.wait_for_timeout(1000)
    assert mock.counts()["requests"] == sent < CASES
    assert mock.counts()["in_flight"] == 0


def _it_goes_on(page: Page, mock: Remote) -> None:
    mock.control(latency=0.02)
    page.get_by_role("button", name="Resume").click()
    expect(_state(page)).to_have_text(re.compile("Running|Scoring|Final"))


def _it_ends_with_what_failed(page: Page, look: Look) -> None:
    expect(_state(page)).to_have_text("Final", timeout=SLOW)
    expect(_done(page)).to_contain_text(f"Answers {CASES} of {CASES}, {FAILING} failed")
    expect(page.get_by_text("the prompt is too long").first).to_be_visible()
    look("failed")


def _it_asks_again_only_what_failed(page: Page, mock: Remote, look: Look) -> None:
    mock.reset()
    page.get_by_role("button", name="Retry failed").click()
    expect(_done(page)).to_contain_text(f"Scores {CASES} of {CASES}", timeout=SLOW)
    expect(_state(page)).to_have_text("Final", timeout=SLOW)
    expect(page.get_by_role("button", name="Retry failed")).to_have_count(0)
    asked = mock.counts(prompts=True)["per_prompt"]
    assert list(asked.values()) == [1] * FAILING
    assert all("Question 5" in prompt for prompt in asked)
    look("final")


def _state(page: Page) -> Any:
    return page.locator("#progress-title")


def _done(page: Page) -> Any:
    """Find what a run that has ended says of its stages."""
    return page.locator("#run-progress")


def _stage(page: Page, name: str) -> Any:
    heads = page.locator("#run-progress .stage-head")
    return heads.filter(has_text=name).locator(".num")
