"""The upkeep of boards: what they need is there before anyone looks, and pages only read it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from evalportal import leaderboard, ranks, tasks, upkeep
from evalportal.leaderboard import Filters
from evalportal.models import BoardEntry, Ranking
from reviews import events
from reviews.events import Verb
from scoring.models import Run
from tests.evalportal.scored_runs import add_scoring, make_run, make_version

pytestmark = pytest.mark.django_db
SCORES = [0.9, 0.8, 1.0, 0.7, 0.9, 0.6, 0.8, 1.0, 0.9, 0.8, 0.7, 0.9]


@pytest.fixture(autouse=True)
def _nothing_drawn() -> None:
    cache.clear()


def test_it_makes_the_entry_of_a_run_that_has_its_scores() -> None:
    run = make_run(make_version(), SCORES)
    assert upkeep.refresh() == [run.version_id]
    assert BoardEntry.objects.get().scoring.run == run
    assert Ranking.objects.count() == 1
    assert upkeep.refresh() == []


def test_it_leaves_runs_under_way_alone() -> None:
    make_run(make_version(), SCORES, state="scoring", finished_at=timezone.now())
    assert upkeep.refresh() == []


@pytest.mark.parametrize("state", ["awaiting_review", "final"])
def test_it_makes_the_entry_anew_when_the_run_is_finished_anew(state: str) -> None:
    run = make_run(make_version(), SCORES, state=state, finished_at=timezone.now() - timedelta(hours=1))
    upkeep.refresh()
    run.scorings.get().scores.update(overall=0.25)
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now())
    assert upkeep.refresh() == [run.version_id]
    assert BoardEntry.objects.get().figures["overall"]["value"] == 0.25


def test_it_makes_an_entry_of_every_later_scoring_and_is_done_then() -> None:
    run = make_run(make_version(), SCORES, state="awaiting_review")
    upkeep.refresh()
    add_scoring(run, list(run.responses.order_by("position")), [0.5] * 12, timezone.now())
    assert upkeep.refresh() == [run.version_id]
    assert BoardEntry.objects.count() == 2
    assert upkeep.refresh() == []


def test_it_takes_note_of_every_decision_until_the_run_is_final() -> None:
    run = make_run(make_version(), SCORES, state="awaiting_review")
    upkeep.refresh()
    events.record(Verb.MARKED, None, run=run)
    assert upkeep.refresh() == [run.version_id]
    assert upkeep.refresh() == []


def test_it_leaves_the_page_nothing_to_write(dan: Any, signed_in: Callable[[Any], Client]) -> None:
    version, client = make_version(), signed_in(dan)
    for shift in (0.0, 0.1, 0.3):
        make_run(version, [score - shift for score in SCORES])
    tasks.sweep_boards()
    with CaptureQueriesContext(connection) as queries:
        assert client.get(reverse("leaderboard")).status_code == 200
    written = [query["sql"] for query in queries if not query["sql"].startswith("SELECT")]
    assert not written
    assert not [query["sql"] for query in queries if "scoring_score" in query["sql"]]


def test_it_is_rung_by_the_clock() -> None:
    assert tasks.sweep_boards.name in {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}


def test_it_does_not_do_the_same_work_twice_at_once() -> None:
    make_run(make_version(), SCORES)
    with tasks._at_work:
        tasks.sweep_boards()
    assert not BoardEntry.objects.exists()


def test_it_forgets_old_rankings_and_makes_them_anew_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    make_run(make_version(), SCORES)
    [before] = leaderboard.board(Filters()).rows
    monkeypatch.setattr(ranks, "KEPT", 0)
    ranks.forget()
    assert not Ranking.objects.exists()
    [after] = leaderboard.board(Filters()).rows
    assert after.rank == before.rank
