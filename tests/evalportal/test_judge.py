"""The judge's page: bias, confidence, the corrected mean, and how many more validations it takes."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evalportal import judge_reports, leaderboard, power, validations
from evalportal.leaderboard import Filters
from reviews import assignments, sampling, submissions, validation
from scoring.models import Run, Score
from tests.evalportal.scored_runs import make_run as make_scored_run
from tests.evalportal.scored_runs import make_version
from tests.reviews.making import MARKS, build_run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    cache.clear()


def _judged_run(share: float = 0.2, size: int = 10) -> Run:
    """Make a run of which the judge is unsure of one answer in five, and draw what people see."""
    run = build_run({"B12": size}, confidences=[0.5, 0.9, 0.9, 0.9, 0.9], validation_share=share)
    Score.objects.filter(scoring__run=run).update(overall=0.75, pending="")
    run.scorings.update(finished_at=timezone.now())
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now())
    sampling.draw(run)
    run.refresh_from_db()
    return run


def _validate(person: Any) -> None:
    """Mark all that was drawn: what the judge was unsure of at 0.5625, the others at 0.75 or 0.625."""
    turn = 0
    while found := assignments.next(person):
        if found.item.mandatory:
            accuracy = 1
        else:
            accuracy, turn = (4, 2)[turn % 2], turn + 1
        submissions.submit(found.pk, person, MARKS | {"accuracy": accuracy})
        validation.decide(found.pk, person, "confirm")


def test_it_corrects_the_mean_as_one_would_by_hand(bob: Any) -> None:
    run = _judged_run()
    _validate(bob)
    found = judge_reports.report(run)
    # The judge gives 0.75 to all. Two are seen for certain, at 0.5625; two of eight by chance, at 0.6875.
    assert found.plain == 0.75
    assert found.corrected.value == pytest.approx((2 * 0.5625 + 8 * 0.6875) / 10)
    assert found.bias.value == pytest.approx(0.75 - 0.6625)
    assert found.corrected.low is not None
    assert found.corrected.low < 0.6625


def test_it_waits_for_people_rather_than_guess() -> None:
    found = judge_reports.report(_judged_run())
    assert found.corrected.value is None
    assert "waits for people" in found.corrected.reason


def test_it_says_that_nothing_was_drawn_yet() -> None:
    run = build_run({"B12": 5}, confidences=[0.9])
    assert (
        validations.figures(run)["tier3"]["corrected"]["reason"]
        == "No verdict has been drawn for people yet."
    )


def test_it_leaves_out_what_was_sent_by_hand(alice: Any, bob: Any) -> None:
    run = _judged_run()
    _validate(bob)
    before = judge_reports.report(run).corrected
    undrawn = run.responses.exclude(review_items__run=run).values_list("pk", flat=True)
    sampling.send(run, list(undrawn), alice, "To be sure.")
    _validate(bob)
    assert judge_reports.report(run).corrected == before


def test_it_makes_the_report_anew_after_a_decision(bob: Any) -> None:
    run = _judged_run()
    assert judge_reports.report(run).people["validated"] == 0
    _validate(bob)
    assert judge_reports.report(run).people["validated"] == 4


def test_it_puts_the_corrected_mean_beside_the_plain_one_on_the_board(bob: Any) -> None:
    _judged_run()
    _validate(bob)
    [row] = leaderboard.board(Filters()).rows
    assert row.review["tier3"]["corrected"]["value"] == pytest.approx(0.6625)
    assert (row.review["tier3"]["plain"], row.review["tier3"]["validated"]) == (0.75, 4)
    assert (row.review["done"], row.review["items"]) == (4, 4)


def test_it_shows_the_board_of_a_day_before_people_marked(bob: Any) -> None:
    run = _judged_run()
    then = timezone.now() - timedelta(days=3)
    _past(run, then)
    _validate(bob)
    [before] = leaderboard.board(Filters(as_of=timezone.localdate(then))).rows
    [after] = leaderboard.board(Filters(as_of=timezone.localdate())).rows
    assert (before.review["done"], before.review["items"], after.review["done"]) == (0, 4, 4)
    assert before.review["tier3"]["corrected"]["value"] is None
    assert after.review["tier3"]["corrected"]["value"] == pytest.approx(0.6625)


def test_it_says_how_many_more_validations_narrow_the_interval(bob: Any) -> None:
    run = _judged_run(size=60)
    _validate(bob)
    rows = judge_reports.report(run).rows
    margin = judge_reports.report(run).corrected.margin
    assert margin is not None
    assert power.more_validations(rows, 100 * margin + 0.1).needed == 0
    closer = power.more_validations(rows, 80 * margin)
    assert closer.needed is not None
    assert 0 < closer.needed <= 60 - 22
    assert power.more_validations(rows, 0.01).needed is None


def test_it_does_not_say_how_many_more_where_nothing_is_validated() -> None:
    found = power.more_validations(judge_reports.report(_judged_run()).rows, 3)
    assert (found.needed, "Too little" in found.reason) == (None, True)


def test_it_shows_the_judge_to_a_manager(bob: Any, dan: Any, signed_in: Callable[[Any], Client]) -> None:
    run = _judged_run(size=60)
    _validate(bob)
    page = signed_in(dan).get(reverse("judge", args=[run.pk]), {"points": "2"}).content.decode()
    assert "0.66" in page
    assert "All criteria" in page
    assert 'data-kind="reliability"' in page
    assert not re.search(r"\bnan\b", page.lower())


@pytest.mark.parametrize("points", ["0", "-3", "nan", "much"])
def test_it_refuses_a_width_that_is_none(points: str, dan: Any, signed_in: Callable[[Any], Client]) -> None:
    run = _judged_run()
    assert signed_in(dan).get(reverse("judge", args=[run.pk]), {"points": points}).status_code == 422


def test_it_says_that_a_run_has_no_judge(dan: Any, signed_in: Callable[[Any], Client]) -> None:
    run = make_scored_run(make_version(), [0.5] * 12)
    page = signed_in(dan).get(reverse("judge", args=[run.pk])).content.decode()
    assert "No answer of this run was judged" in page


def _past(run: Run, then: Any) -> None:
    """Put the scoring and the draw of a run into the past."""
    run.review_items.update(created_at=then)
    run.scorings.update(finished_at=then)
    Run.objects.filter(pk=run.pk).update(finished_at=then)


def test_it_reads_verdicts_and_marks_once_for_all_visitors(
    bob: Any, dan: Any, signed_in: Callable[[Any], Client], django_assert_num_queries: Any
) -> None:
    run = _judged_run(size=60)
    _validate(bob)
    client, page = signed_in(dan), reverse("judge", args=[run.pk])
    client.get(page)
    with django_assert_num_queries(4):
        assert client.get(page).status_code == 200
