"""The diagnosis and the export of runs of all suites in a real browser: charts drawn, tables behind them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from scoring.ccop.benchmarks import CATEGORIES
from scoring.models import Run
from tests.evalportal import making

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

VIEWS: dict[str, dict[str, Any]] = {"light": {}, "dark": {"dark": True}, "narrow": {"width": 390}}
DOCUMENTS = {"positive": ["The port is 443."] * 5, "negative": ["The port is not said."] * 5}


def _ccop() -> Run:
    luck = random.Random(1)
    means = {
        f"B{number}": luck.uniform(0.2, 0.8) for numbers in CATEGORIES.values() for number in numbers[:2]
    }
    overalls = {
        code: [min(max(luck.gauss(mean, 0.12), 0), 1) for _ in range(8)] for code, mean in means.items()
    }
    run = making.scored(overalls)
    making.fabricate(run, "B3-002", "As Clause 99.9.9 says, retina scans are needed. " * 3, "99.9.9")
    return run


def _rgb() -> Run:
    rows = [
        {"id": f"n{number}", "query": f"{number}: which port is HTTPS?", "answer": "443", **DOCUMENTS}
        for number in range(1, 9)
    ]
    return making.driven(making.dataset(rows, "rgb", "rgb"), "It is 443.", noise_levels=[0, 20, 60, 100])


def _cybersec() -> Run:
    rows = [{"id": str(number), "question": f"What is control {number} for?"} for number in range(1, 4)]
    return making.driven(making.dataset(rows, "language", "cybersec"), None)


def test_it_draws_the_charts_of_every_suite_and_keeps_their_tables(
    open_page: Callable[..., Page],
    accessible: Callable[[Page], None],
    picture: Callable[[Page, str], None],
    dan: Any,
) -> None:
    charts = {"ccop": (_ccop(), 2), "rgb": (_rgb(), 1), "cybersec": (_cybersec(), 0)}
    for view, options in VIEWS.items():
        page = open_page("/", dan, **options)
        for suite, (run, count) in charts.items():
            page.goto(f"/runs/{run.pk}/diagnosis/")
            assert page.locator("figure.chart canvas").count() == count, suite
            assert page.locator("table").count() >= count
            accessible(page)
            picture(page, f"diagnosis-{suite}-{view}")
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= page.viewport_size["width"], f"{suite} is {width} pixels wide"  # type: ignore[index]
            page.goto(f"/runs/{run.pk}/export/")
            accessible(page)
        picture(page, f"export-{view}")


def test_it_prints_in_light_whatever_the_screen_is(open_page: Callable[..., Page], dan: Any) -> None:
    page = open_page(f"/runs/{_ccop().pk}/diagnosis/", dan, dark=True)
    page.emulate_media(media="print")
    seen = "getComputedStyle(document.documentElement).colorScheme"
    assert page.evaluate(seen) == "light"
    assert not page.get_by_role("navigation", name="Main").is_visible()
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == "system"
