"""A real browser for the tests, signed in as someone, that notices every fault of a page."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page, sync_playwright

# Playwright keeps an event loop in this thread, which makes Django think that the tests are asynchronous.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
# To bring all that is well out of the browser takes three times as long as to find it.
RUN_AXE = "rules => axe.run({runOnly: rules, resultTypes: ['violations']}).then(found => found.violations)"
RULES = ("wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice")
PICTURES = ROOT / "test-results"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def _chromium() -> str:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not found:
        pytest.fail("The browser tests need Chromium: install Debian's package chromium, or Google Chrome.")
    return found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all tests."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Browser, live_server: Any, client: Any) -> Iterator[Callable[..., Page]]:
    """Open pages as someone; any script error or refused load fails the test."""
    contexts: list[Any] = []
    faults: list[str] = []

    def opened(path: str, person: Any = None, *, dark: bool = False, width: int = 1280) -> Page:
        context = chromium.new_context(
            base_url=live_server.url,
            color_scheme="dark" if dark else "light",
            viewport={"width": width, "height": 900},
            reduced_motion="reduce",
        )
        contexts.append(context)
        if person is not None:
            client.force_login(person)
            cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
            context.add_cookies(
                [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}]
            )
        page: Page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if _is_fault(message) else None)
        page.on("request", lambda request: _stays_here(request.url, live_server.url, faults))
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not faults


def _is_fault(message: Any) -> bool:
    """Tell faults from remarks on a status that pages are refused with, and on being offline."""
    harmless = r"responded with a status of 4(00|03|04|10|13|22)|ERR_INTERNET_DISCONNECTED"
    return message.type == "error" and not re.search(harmless, message.text)


def _stays_here(url: str, home: str, faults: list[str]) -> None:
    if not url.startswith((home, "data:", "blob:")):
        faults.append(f"The page asked for {url}.")


@pytest.fixture
def accessible() -> Callable[..., None]:
    """Fail on anything that axe-core finds on a page, by all its rules or by some."""
    source = AXE.read_text()

    def check(page: Page, rules: Sequence[str] = RULES) -> None:
        if not page.evaluate("'axe' in window"):
            page.evaluate(source + "; null")
        faults = [
            f"{fault['id']}: {node['html'][:160]} {node['failureSummary']}"
            for fault in page.evaluate(RUN_AXE, list(rules))
            for node in fault["nodes"]
        ]
        assert not faults, f"{page.url}\n" + "\n".join(faults)

    return check


@pytest.fixture
def picture() -> Callable[[Page, str], None]:
    """Keep a picture of a page under test-results/."""

    def take(page: Page, name: str) -> None:
        PICTURES.mkdir(exist_ok=True)
        page.screenshot(path=PICTURES / f"{name}.png", full_page=True)

    return take
