"""Using the portal as people do: signing in, uploading, searching, trying a metric."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from evalportal import demo
from evalportal.models import Person

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "ccop"
Open = Callable[..., Page]


def test_it_signs_in_with_one_click_in_the_demo(open_page: Open, settings: Any) -> None:
    settings.DEMO = True
    alice = demo.PEOPLE[0]
    Person.objects.create_user(alice.username, alice.password, name=alice.name, role=alice.role)
    page = open_page("/")
    page.get_by_role("button", name="Sign in as alice").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Alice")


def test_it_signs_in_by_keyboard_alone(open_page: Open, alice: Any) -> None:
    page = open_page("/sign-in/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.get_by_label("User name").focus()
    page.keyboard.type("alice")
    page.keyboard.press("Tab")
    page.keyboard.type("alice-password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Alice")


def test_it_uploads_and_finds_cases(open_page: Open, alice: Any) -> None:
    page = open_page("/uploads/new/", alice)
    page.get_by_label("Files").set_input_files(sorted(SAMPLES.glob("b0*.jsonl")))
    page.get_by_label("Dataset").fill("samples")
    page.get_by_role("button", name="Check and import").click()
    page.get_by_role("link", name="Open version 1").click()
    page.get_by_role("link", name="Cases", exact=True).last.click()
    expect(page.locator("#case-list h2")).to_have_text("47 cases")
    page.keyboard.press("/")
    page.keyboard.type("B7-002")
    expect(page.locator("#case-list h2")).to_have_text("1 case")
    expect(page).to_have_url(re.compile("q=B7-002"))
    page.get_by_role("link", name="B7-002").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("B7-002")


def test_it_narrows_cases_by_a_filter(open_page: Open, alice: Any) -> None:
    page = open_page("/uploads/new/", alice)
    page.get_by_label("Files").set_input_files(sorted(SAMPLES.glob("b0*.jsonl")))
    page.get_by_label("Dataset").fill("samples")
    page.get_by_role("button", name="Check and import").click()
    page.goto("/cases/")
    page.get_by_label("Difficulty").select_option("Critical")
    expect(page.locator("#case-list tbody tr td:nth-child(4)").first).to_have_text("Critical")


def test_it_tries_a_metric_without_leaving_the_page(open_page: Open, bob: Any) -> None:
    page = open_page("/handbook/repetition/", bob)
    page.get_by_label("Response").fill("one two three one two three")
    page.get_by_role("button", name="Compute").click()
    expect(page.locator("#metric-try .value")).to_contain_text("0.5")


def test_it_switches_to_dark_and_stays_so(open_page: Open, bob: Any) -> None:
    page = open_page("/", bob)
    page.get_by_role("button", name="Dark").click()
    page.goto("/cases/")
    assert page.evaluate("getComputedStyle(document.body).colorScheme") == "dark"


def test_it_works_without_javascript(chromium: Any, live_server: Any, alice: Any) -> None:
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    page.get_by_label("User name").fill("alice")
    page.get_by_label("Password").fill("alice-password")
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.goto("/uploads/new/")
    page.get_by_label("Files").set_input_files(SAMPLES / "b01_applicability.jsonl")
    page.get_by_label("Dataset").fill("samples")
    page.get_by_role("button", name="Check and import").click()
    expect(page.get_by_role("link", name="Open version 1")).to_be_visible()
    context.close()
