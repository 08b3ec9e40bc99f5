"""Boards in a real browser: accessible, every chart drawn, in light and dark, wide and narrow."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page

from reviews import assignments, sampling, submissions, validation
from scoring.models import Run, Score
from tests.evalportal.scored_runs import make_run, make_version
from tests.reviews.making import MARKS, build_run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

VIEWS: dict[str, dict[str, Any]] = {"light": {}, "dark": {"dark": True}, "narrow": {"width": 390}}


def _runs() -> list[Run]:
    chance, version = random.Random(6), make_version(60)
    hard = [chance.random() for _ in range(60)]
    skills = {"Small, pre-trained": 0.0, "Small, fine-tuned": 0.22, "Large": 0.25, "Large, quantised": 0.05}
    return [
        make_run(
            version,
            [min(1.0, max(0.0, 0.7 * ease + skill + chance.gauss(0, 0.1))) for ease in hard],
            name=name,
            content=[f"The owner of system {place} reviews the logs with {name}." for place in range(60)],
            values=[{"key_fact_recall": chance.random(), "grounding": 1.0} for _ in hard],
        )
        for name, skill in skills.items()
    ]


def _judged_run(person: Any) -> Run:
    run = build_run({"B12": 40, "B13": 30}, confidences=[0.5, 0.85, 0.9, 0.95, 0.7], validation_share=0.4)
    Score.objects.filter(scoring__run=run).update(overall=0.75, pending="")
    run.scorings.update(finished_at=timezone.now())
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now())
    sampling.draw(run)
    chance = random.Random(6)
    while found := assignments.next(person):
        marks = {key: min(5, max(1, value - chance.choice((0, 0, 1, -1)))) for key, value in MARKS.items()}
        submissions.submit(found.pk, person, marks if chance.random() < 0.6 else MARKS)
        validation.decide(found.pk, person, "confirm")
    return run


def test_it_draws_boards_for_everyone(
    open_page: Callable[..., Page],
    accessible: Callable[[Page], None],
    picture: Callable[[Page, str], None],
    bob: Any,
    dan: Any,
) -> None:
    judged = _judged_run(bob)
    runs = _runs()
    chosen = ",".join(str(run.pk) for run in runs[:3])
    case = runs[0].version.cases.first()
    assert case
    pages = {
        "leaderboard": (f"/leaderboard/?version={runs[0].version_id}", 1),
        "leaderboard-judged": (f"/leaderboard/?version={judged.version_id}", 1),
        "leaderboard-as-of": ("/leaderboard/?as_of=2020-01-01", 0),
        "compare": (f"/compare/?runs={chosen}", 5),
        "compare-choose": ("/compare/", 0),
        "compare-case": (f"/compare/cases/{case.pk}/?runs={chosen}", 0),
        "judge": (f"/runs/{judged.pk}/judge/", 2),
        "no-judge": (f"/runs/{runs[0].pk}/judge/", 0),
    }
    for view, options in VIEWS.items():
        page = open_page("/", dan, **options)
        for name, (path, charts) in pages.items():
            page.goto(path)
            assert page.locator("figure.chart:visible canvas").count() == charts, name
            accessible(page)
            picture(page, f"{name}-{view}")
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= page.viewport_size["width"], f"{path} is {width} pixels wide"  # type: ignore[index]


def test_it_fits_a_board_with_all_its_columns_into_1280_pixels(
    open_page: Callable[..., Page], bob: Any, dan: Any
) -> None:
    judged = _judged_run(bob)
    page = open_page(f"/leaderboard/?version={judged.version_id}", dan)
    table = page.get_by_role("region", name="Ranks, table")
    assert table.evaluate("region => region.scrollWidth <= region.clientWidth")


def test_it_keeps_the_names_of_runs_in_sight_on_a_narrow_screen(
    open_page: Callable[..., Page], dan: Any
) -> None:
    _runs()
    page = open_page("/leaderboard/", dan, width=390)
    table = page.get_by_role("region", name="Ranks, table")
    table.focus()
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('.table-scroll').scrollLeft > 100")
    name = table.get_by_role("link", name="Small, fine-tuned").bounding_box()
    assert name
    assert 0 <= name["x"] < 390


def test_it_leads_from_the_board_to_the_answers(open_page: Callable[..., Page], dan: Any) -> None:
    _runs()
    page = open_page("/leaderboard/", dan)
    page.get_by_label("Choose Small, pre-trained").check()
    page.get_by_label("Choose Large", exact=True).check()
    page.get_by_role("button", name="Compare the chosen").click()
    assert page.get_by_text("60 questions in common").is_visible()
    page.get_by_role("region", name="Read these first, table").get_by_role("link").first.click()
    assert page.locator("ins").first.is_visible()
    assert page.locator("del").first.is_visible()
