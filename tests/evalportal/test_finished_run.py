"""The page of a finished run: what was summed up once is not counted again for every visitor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from scoring import progress, runs
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


def test_it_counts_the_rows_of_a_run_that_goes_on(run: Run) -> None:
    runs.rescore(run)
    assert [one.done for one in progress.stages(run)] == [7, 2, 0]


def test_it_reads_one_page_of_answers_and_counts_none(
    run: Run, dan: Any, signed_in: Callable[[Any], Client]
) -> None:
    client = signed_in(dan)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(run.get_absolute_url()).status_code == 200
    assert len(queries) <= 7
    # The errors are grouped, of which an index holds the few there are.
    counting = [query["sql"] for query in queries if "count(" in query["sql"].lower()]
    assert all("state = 'failed'" in sql for sql in counting)
