"""The page of a finished run: what was summed up once is not counted again for every visitor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evalportal import board_entries
from scoring import progress, runs, summaries
from scoring.models import Run
from tests.evalportal.making import ccop_rows, dataset, driven, judge

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run() -> Run:
    """A run that was answered, judged and scored."""
    return driven(dataset(ccop_rows()), judge=judge())


def test_it_takes_stages_and_speed_from_the_summary_as_they_would_be_counted(run: Run) -> None:
    kept, speed = progress.stages(run), progress.speed(run)
    run.summary = {}
    counted = progress.stages(run)
    assert [(one.name, one.done, one.failed, one.total) for one in kept] == [
        (one.name, one.done, one.failed, one.total) for one in counted
    ]
    assert [one.name for one in kept] == ["Answers", "Verdicts", "Scores"]
    assert all(one.complete for one in kept)
    assert speed == pytest.approx(progress.speed(run))


def test_it_counts_scores_by_tenths_and_shows_intervals_once_they_are_kept(
    run: Run, dan: Any, signed_in: Callable[[Any], Client]
) -> None:
    assert sum(one["count"] for one in run.summary["histogram"]) == run.summary["overall"]["scored"]
    client, figures = signed_in(dan), board_entries.find(board_entries.counted())
    [entry] = figures.values()
    low, high = entry.figures["overall"]["low"], entry.figures["overall"]["high"]
    page = client.get(run.get_absolute_url()).content.decode()
    assert f"{low:.2f} to {high:.2f}, mean over" in page
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now())
    assert "to 0." not in client.get(run.get_absolute_url()).content.decode().split("mean over")[0][-40:]


@pytest.mark.parametrize(
    ("scores", "bins"),
    [
        ([], {}),
        ([0.0, 0.1, 0.3, 1.0], {0.0: 1, 0.1: 1, 0.3: 1, 0.9: 1}),
        ([-1.5, 0.2], {-1.7: 1, 0.1: 1}),
    ],
)
def test_it_puts_every_score_into_one_of_ten_bins(scores: list[float], bins: dict[float, int]) -> None:
    found = summaries.histogram(summaries.Outcome("B1", "", "", score) for score in scores)
    assert len(found) == (10 if scores else 0)
    assert {one["low"]: one["count"] for one in found if one["count"]} == bins


def test_it_counts_the_rows_of_a_run_that_goes_on(run: Run) -> None:
    runs.rescore(run)
    assert [one.done for one in progress.stages(run)] == [7, 2, 0]


def test_it_reads_one_page_of_answers_and_counts_none(
    run: Run, dan: Any, signed_in: Callable[[Any], Client]
) -> None:
    client = signed_in(dan)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(run.get_absolute_url()).status_code == 200
    assert len(queries) <= 8
    # The errors are grouped, of which an index holds the few there are.
    counting = [query["sql"] for query in queries if "count(" in query["sql"].lower()]
    assert all("state = 'failed'" in sql for sql in counting)
