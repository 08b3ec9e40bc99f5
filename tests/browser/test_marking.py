"""Marking by keyboard alone: bob and carol differ, alice settles, and the run is final."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from reviews import finishing
from reviews.models import Assignment, Review
from scoring.engine import local
from scoring.models import Run
from tests.reviews.conftest import run_to_review

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Open = Callable[..., Page]


def _mark(page: Page, keys: str) -> None:
    """Type marks, wait until the draft is saved, and submit."""
    for key in keys:
        page.keyboard.press(key)
    expect(page.locator("#review-status")).to_contain_text("Draft saved")
    before = page.locator("#review").get_attribute("data-path")
    page.keyboard.press("Enter")
    expect(page.locator(f"#review[data-path='{before}']")).to_have_count(0)


def test_it_goes_from_marks_to_a_final_run(
    open_page: Open,
    accessible: Callable[[Page], None],
    picture: Callable[[Page, str], None],
    alice: Any,
    bob: Any,
    carol: Any,
) -> None:
    run = run_to_review(alice, 2)

    for person, marks in ((bob, ("5555", "4444")), (carol, ("2555", "4444"))):
        page = open_page("/queue/next/", person)
        accessible(page)
        picture(page, f"marking-{person.username}")
        _mark_all(page, marks)
    assert Review.objects.filter(is_current=True).count() == 4
    assert not finishing.standing(run).ready, "One answer is disputed: the gate must not open."

    page = open_page("/leaderboard/", alice)
    provisional = _on_the_board(page, run)
    page.goto("/adjudication/")
    page.get_by_role("link", name="B7-").click()
    accessible(page)
    picture(page, "adjudication")
    _settle(page)

    page.goto(f"/runs/{run.pk}/agreement/")
    accessible(page)
    picture(page, "agreement")
    _make_final(page, run)
    page.goto("/leaderboard/")
    validated = _on_the_board(page, run)
    assert ("final" in validated, "final" in provisional) == (True, False)
    assert ("2 of 2" in validated, "2 of 2" in provisional) == (True, False)


def _mark_all(page: Page, marks: tuple[str, ...]) -> None:
    """Mark everything that waits, without touching the mouse."""
    for keys in marks:
        _mark(page, keys)
    expect(page.get_by_text("Nothing waits for your marks")).to_be_visible()


def _settle(page: Page) -> None:
    """Give every criterion a four, and say why."""
    for fieldset in page.locator("fieldset.criterion").all():
        fieldset.get_by_role("radio").nth(3).check()
    why = "The answer names the gap, but not its cause."
    page.get_by_label("Why, so that reviewers learn from it").fill(why)
    page.get_by_role("button", name="Settle").click()
    expect(page.get_by_text("is settled.")).to_be_visible()


def _make_final(page: Page, run: Run) -> None:
    page.get_by_role("button", name="Make it final").click()
    expect(page.get_by_text("final as soon as it is scored")).to_be_visible()
    local.drive(run.pk, Event())
    page.reload()
    expect(page.get_by_text("This run is final")).to_be_visible()
    run.refresh_from_db()
    assert (run.state, run.summary["overall"]["pending"]) == ("final", 0)


def _on_the_board(page: Page, run: Run) -> str:
    return page.locator("tr", has_text=run.name).first.inner_text()


def test_it_loses_nothing_when_the_network_drops(open_page: Open, alice: Any, bob: Any) -> None:
    run_to_review(alice, 1)
    page = open_page("/queue/next/", bob)
    page.context.set_offline(True)
    for key in "345":
        page.keyboard.press(key)
    expect(page.locator("#review-status")).to_contain_text("No connection")
    page.context.set_offline(False)
    expect(page.locator("#review-status")).to_contain_text("Draft saved", timeout=10_000)
    page.reload()
    assert [
        page.locator(f"fieldset.criterion >> nth={at} >> input:checked").input_value() for at in range(3)
    ] == [
        "3",
        "4",
        "5",
    ]


def test_it_sends_marks_once_the_network_is_back(open_page: Open, alice: Any, bob: Any) -> None:
    run_to_review(alice, 1)
    page = open_page("/queue/next/", bob)
    for key in "3333":
        page.keyboard.press(key)
    expect(page.locator("#review-status")).to_contain_text("Draft saved")
    page.context.set_offline(True)
    page.keyboard.press("Enter")
    expect(page.locator("#review-status")).to_contain_text("sent as soon as it is back")
    page.context.set_offline(False)
    expect(page.get_by_text("Nothing waits for your marks")).to_be_visible(timeout=10_000)
    assert Review.objects.count() == 1


def test_it_undoes_skips_and_helps_by_keys(open_page: Open, alice: Any, bob: Any) -> None:
    run_to_review(alice, 1)
    page = open_page("/queue/next/", bob)
    page.keyboard.press("5")
    page.keyboard.press("u")
    expect(page.locator("input:checked")).to_have_count(0)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    expect(page.get_by_text("Nothing waits for your marks")).to_be_visible()
    assert Assignment.objects.get().state == "skipped"
