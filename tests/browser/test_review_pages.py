"""Every page of reviews in a real browser: accessible, in light and dark, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from reviews import agreement, assignments, calibration, sampling, submissions
from reviews.models import Assignment, ReviewItem
from scoring.models import Run
from tests.reviews.making import MARKS, build_run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Open = Callable[..., Page]
VIEWS: dict[str, dict[str, Any]] = {
    "light": {},
    "dark": {"dark": True},
    "narrow": {"width": 390},
    "narrow-dark": {"width": 390, "dark": True},
}


def _marked(run: Run, *people: Any) -> None:
    """Have people mark most of a run, now and then far apart."""
    for place, person in enumerate(people):
        for turn in range(12):
            found = assignments.next(person)
            assert found
            marks = MARKS | {
                "accuracy": 1 if place and turn in (2, 7) else 4,
                "clarity": 3 + (turn % 2) * place,
            }
            comment = "Is clause 5.1.3 meant here?" if turn == 2 else ""
            submissions.submit(
                found.pk, person, marks, comment=comment, flagged=bool(comment), seconds=20 + 3 * turn
            )


def _filled(alice: Any, bob: Any, carol: Any) -> dict[str, dict[str, str]]:
    """Fill the portal, and list every page by who looks at it and a name for its picture."""
    run = build_run({"B7": 9, "B10": 6})
    sampling.draw(run)
    _marked(run, bob, carol)
    agreement.report(run)
    calibrated = build_run({"B14": 12})
    sampling.draw(calibrated)
    made = calibration.begin(calibrated, alice)
    judged = build_run({"B12": 4}, confidences=[0.5, 0.9])
    sampling.draw(judged)
    Run.objects.exclude(pk=judged.pk).update(state=Run.State.FINAL)
    validated = assignments.next(bob)
    assert validated
    submissions.submit(validated.pk, bob, MARKS)
    Run.objects.exclude(pk=judged.pk).update(state=Run.State.AWAITING_REVIEW)
    marking = assignments.peek(bob, besides=validated.pk)
    assert marking
    disputed = ReviewItem.objects.filter(state="disputed").first()
    assert disputed
    done = Assignment.objects.filter(person=bob, state="submitted").first()
    assert done
    return {
        "bob": {
            "queue": "/queue/",
            "marking": f"/reviews/{marking.pk}/",
            "validation": f"/reviews/{validated.pk}/",
            "marked": f"/reviews/{done.pk}/",
        },
        "alice": {
            "agreement": f"/runs/{run.pk}/agreement/",
            "differences": f"/runs/{run.pk}/agreement/{bob.pk}/{carol.pk}/",
            "items": f"/runs/{run.pk}/items/",
            "adjudications": "/adjudication/",
            "adjudication": f"/adjudication/{disputed.pk}/",
            "calibration": f"/calibrations/{made.pk}/",
            "rubrics": "/rubrics/",
            "rubric": "/rubrics/validation/",
            "audit": "/audit/",
            "decisions": f"/decisions/{disputed.response_id}/",
        },
    }


def test_it_is_accessible_for_those_who_mark_and_those_who_settle(
    open_page: Open,
    accessible: Callable[[Page], None],
    picture: Callable[[Page, str], None],
    alice: Any,
    bob: Any,
    carol: Any,
) -> None:
    pages = _filled(alice, bob, carol)
    for person in (alice, bob):
        for view, options in VIEWS.items():
            page = open_page("/", person, **options)
            for name, path in pages[person.username].items():
                page.goto(path)
                accessible(page)
                picture(page, f"reviews-{name}-{view}")
                width = page.evaluate("document.documentElement.scrollWidth")
                assert width <= page.viewport_size["width"], f"{path} is {width} pixels wide"  # type: ignore[index]


def test_it_validates_a_verdict_by_keys(open_page: Open, bob: Any) -> None:
    sampling.draw(build_run({"B12": 1}, confidences=[0.5]))
    page = open_page("/queue/next/", bob)
    expect(page.get_by_text("Sound, but incomplete.")).to_have_count(0)
    for key in "4444":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Sound, but incomplete.")).to_be_visible()
    page.keyboard.press("o")
    page.keyboard.type("Clause 5.1.3 says otherwise?")
    page.get_by_role("button", name="Override").click()
    expect(page.get_by_text("Nothing waits for your marks")).to_be_visible()
    assert Assignment.objects.get().state == "submitted"


def test_it_takes_the_last_submission_back_by_a_key(open_page: Open, bob: Any) -> None:
    sampling.draw(build_run({"B7": 2}))
    page = open_page("/queue/next/", bob)
    first = page.locator("#review").get_attribute("data-path")
    for key in "2345":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.locator(f"#review[data-path='{first}']")).to_have_count(0)
    expect(page.locator("#review-count")).to_have_text("1")
    page.keyboard.press("u")
    expect(page.locator(f"#review[data-path='{first}']")).to_have_count(1)
    expect(page.locator("input:checked")).to_have_count(4)


def test_it_keeps_the_page_and_what_was_typed_when_someone_is_removed(open_page: Open, bob: Any) -> None:
    sampling.draw(build_run({"B7": 1}))
    page = open_page("/queue/next/", bob)
    page.get_by_label("Comment").fill("All that I know about it?")
    expect(page.locator("#review-status")).to_contain_text("Draft saved")
    bob.is_active = False
    bob.save()
    for fieldset in page.locator("fieldset.criterion").all():
        fieldset.get_by_role("radio").nth(2).check()
    page.get_by_role("button", name="Submit and next").click()
    expect(page.locator("#review-refusal")).to_contain_text("You are signed out.")
    assert page.get_by_label("Comment").input_value() == "All that I know about it?"


def test_it_gives_back_what_was_typed_when_the_run_is_deleted(open_page: Open, bob: Any) -> None:
    sampling.draw(build_run({"B7": 1}))
    page = open_page("/queue/next/", bob)
    page.get_by_label("Comment").fill("All that I know about it.")
    expect(page.locator("#review-status")).to_contain_text("Draft saved")
    Run.objects.all().delete()
    page.get_by_role("button", name="Submit and next").click()
    expect(page.get_by_role("heading", name="This answer is gone")).to_be_visible()
    expect(page.get_by_text("All that I know about it.")).to_be_visible()
