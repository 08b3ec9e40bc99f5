"""The leaderboard: ranks, ties, intervals, what is unknown, an earlier day, CSV, and few queries."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evalportal import leaderboard
from evalportal.leaderboard import Filters
from evalportal.models import BoardEntry
from reviews import events
from reviews.events import Verb
from scoring.models import Run
from tests.evalportal.scored_runs import add_scoring, make_run, make_version

pytestmark = pytest.mark.django_db
GOOD = [0.9, 0.8, 1.0, 0.7, 0.9, 0.6, 0.8, 1.0, 0.9, 0.8, 0.7, 0.9]
CLOSE = [0.8, 0.9, 0.9, 0.7, 1.0, 0.6, 0.7, 1.0, 0.9, 0.8, 0.8, 0.8]
POOR = [0.3, 0.1, 0.5, 0.2, 0.3, 0.0, 0.2, 0.4, 0.3, 0.2, 0.1, 0.3]


@pytest.fixture(autouse=True)
def _no_ranks_kept() -> None:
    cache.clear()


def test_it_ranks_runs_and_ties_those_that_nothing_shows_to_differ() -> None:
    version = make_version()
    poor, good, close = (make_run(version, scores) for scores in (POOR, GOOD, CLOSE))
    rows = leaderboard.board(Filters()).rows
    assert [(row.run, row.rank.place, row.rank.tied) for row in rows if row.rank] == [
        (good, 1, True),
        (close, 1, True),
        (poor, 3, False),
    ]


def test_it_gives_the_mean_of_the_runs_own_summary_with_an_interval_around_it() -> None:
    run = make_run(make_version(), GOOD)
    [row] = leaderboard.board(Filters()).rows
    overall = row.figures["overall"]
    assert overall["value"] == pytest.approx(run.summary["overall"]["mean"])
    assert overall["low"] < overall["value"] < overall["high"] <= 1
    assert overall["n"] == 12


def test_it_holds_the_pass_rate_against_the_phases_threshold() -> None:
    version = make_version()
    make_run(version, POOR, phase="baseline")
    make_run(version, POOR, phase="fine-tuned")
    rows = {row.run.phase: row for row in leaderboard.board(Filters()).rows}
    assert rows["baseline"].figures["pass_rate"]["value"] == pytest.approx(9 / 12)
    assert rows["fine-tuned"].figures["pass_rate"]["value"] == pytest.approx(1 / 12)


def test_it_leaves_what_is_pending_out_and_says_how_many() -> None:
    make_run(
        make_version(), GOOD, pending={0: "awaiting review", 2: "awaiting verdict"}, state="awaiting_review"
    )
    [row] = leaderboard.board(Filters()).rows
    assert (row.pending, row.figures["scored"], row.final) == (2, 10, False)


def test_it_does_not_rank_a_run_that_was_asked_fewer_cases() -> None:
    version = make_version()
    make_run(version, GOOD)
    partial = make_run(version, [1.0, 1.0, 1.0])
    last = leaderboard.board(Filters()).rows[-1]
    assert (last.run, last.rank) == (partial, None)
    assert last.why.startswith("Asked 3 of 12 cases")


def test_it_says_that_equal_scores_have_no_interval() -> None:
    make_run(make_version(), [0.5] * 12)
    [row] = leaderboard.board(Filters()).rows
    assert row.figures["overall"]["low"] is None
    assert "equal" in row.figures["overall"]["reason"]


def test_it_says_of_a_run_of_errors_alone_that_it_has_no_score() -> None:
    make_run(make_version(), [None] * 12)
    [row] = leaderboard.board(Filters()).rows
    assert (row.rank, row.figures["overall"]["value"], row.why) == (None, None, "No answer has a score yet.")


def test_it_lists_unfinished_and_failed_runs_beside_the_board() -> None:
    version = make_version()
    make_run(version, GOOD)
    running = make_run(version, [], state="running", finished_at=None)
    failed = make_run(version, [], state="failed")
    assert set(leaderboard.board(Filters()).absent) == {running, failed}


def test_it_orders_categories_as_the_benchmarks_stand() -> None:
    make_run(make_version(), GOOD)
    board = leaderboard.board(Filters())
    assert board.categories == ["Applicability & scope", "Compliance judgement", "Gap analysis"]
    cells = [cell and cell["value"] for cell in board.rows[0].cells]
    assert cells == pytest.approx([sum(GOOD[place::3]) / 4 for place in range(3)])


def test_it_narrows_by_phase_model_suite_version_and_date() -> None:
    old, new = make_version(), make_version(suite="rgb")
    first = make_run(old, GOOD, phase="baseline", finished_at=timezone.now() - timedelta(days=9))
    second = make_run(old, CLOSE, phase="deployment")
    third = make_run(new, GOOD)
    today = timezone.localdate()

    def shown(**filters: Any) -> list[Run]:
        return [row.run for row in leaderboard.board(Filters(**filters)).rows]

    assert shown() == [third]
    assert shown(suite="ccop", phase="baseline") == [first]
    assert shown(version=old.pk, model=second.endpoint_id) == [second]
    assert shown(version=old.pk, since=today - timedelta(days=1)) == [second]


@pytest.mark.parametrize(
    ("sort", "order"), [("overall", [2, 1, 0]), ("-overall", [0, 1, 2]), ("nonsense", [0, 1, 2])]
)
def test_it_sorts_by_what_the_address_says(sort: str, order: list[int]) -> None:
    version = make_version()
    runs = [
        make_run(version, scores) for scores in (GOOD, [score - 0.1 for score in GOOD[:11]] + [0.9], POOR)
    ]
    rows = leaderboard.board(Filters(sort=sort)).rows
    assert [row.run for row in rows] == [runs[place] for place in order]


def test_it_shows_an_earlier_day_by_the_scoring_that_counted_then() -> None:
    then = timezone.now() - timedelta(days=5)
    run = make_run(make_version(), POOR, finished_at=then, state="final", reviewed_at=timezone.now())
    events.record(Verb.FINALISED, None, run=run)
    add_scoring(run, list(run.responses.order_by("position")), GOOD, timezone.now())
    today, day = timezone.localdate(), timezone.localdate(then)

    [now] = leaderboard.board(Filters(as_of=today)).rows
    [before] = leaderboard.board(Filters(as_of=day)).rows
    assert now.figures["overall"]["value"] == pytest.approx(sum(GOOD) / 12)
    assert before.figures["overall"]["value"] == pytest.approx(sum(POOR) / 12)
    assert (now.final, before.final) == (True, False)


def test_it_shows_nothing_of_a_day_before_the_first_scoring() -> None:
    run = make_run(make_version(), GOOD)
    board = leaderboard.board(Filters(as_of=timezone.localdate() - timedelta(days=3)))
    assert (list(board.rows), list(board.absent)) == ([], [run])


def test_it_keeps_figures_and_makes_them_anew_when_the_run_is_finished_anew() -> None:
    run = make_run(make_version(), POOR)
    leaderboard.board(Filters())
    kept = BoardEntry.objects.get()
    run.scorings.get().scores.update(overall=1.0)
    leaderboard.board(Filters())
    assert BoardEntry.objects.get().finished_at == kept.finished_at
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now())
    [row] = leaderboard.board(Filters()).rows
    assert row.figures["overall"]["value"] == 1.0


def test_it_asks_the_database_as_little_for_many_runs_as_for_few(
    dan: Any, signed_in: Callable[[Any], Client], django_assert_num_queries: Any
) -> None:
    version, client = make_version(), signed_in(dan)
    page = reverse("leaderboard")
    for scores in (GOOD, CLOSE):
        make_run(version, scores)
    client.get(page)
    with django_assert_num_queries(6):
        client.get(page)
    for _ in range(6):
        make_run(version, POOR)
    client.get(page)
    with django_assert_num_queries(6):
        client.get(page)


@pytest.mark.parametrize("change", ["name", "state", "scores", "another run", "marks"])
def test_it_names_a_board_otherwise_when_what_it_shows_has_changed(change: str) -> None:
    version = make_version()
    run = make_run(version, POOR, state="awaiting_review")
    before = leaderboard.state(Filters())
    if change == "scores":
        add_scoring(run, list(run.responses.order_by("position")), GOOD, timezone.now())
    elif change == "another run":
        make_run(version, GOOD)
    elif change == "marks":
        events.record(Verb.MARKED, None, run=run)
    else:
        Run.objects.filter(pk=run.pk).update(**{change: "final"})
    after = leaderboard.state(Filters())
    assert before != after == leaderboard.state(Filters())


def test_it_draws_the_board_anew_when_its_name_is_another(
    dan: Any, signed_in: Callable[[Any], Client]
) -> None:
    client, run = signed_in(dan), make_run(make_version(), POOR, name="Before")
    assert "Before" in client.get(reverse("leaderboard")).content.decode()
    Run.objects.filter(pk=run.pk).update(name="After")
    page = client.get(reverse("leaderboard")).content.decode()
    assert ("After" in page, "Before" in page) == (True, False)


def test_it_shows_the_board_to_a_manager(dan: Any, signed_in: Callable[[Any], Client]) -> None:
    run = make_run(make_version(), GOOD, name="Small model")
    page = signed_in(dan).get(reverse("leaderboard")).content.decode()
    assert "Small model" in page
    assert "0.83" in page
    assert f'value="{run.pk}"' in page


def test_it_says_what_is_wrong_with_a_filter(dan: Any, signed_in: Callable[[Any], Client]) -> None:
    make_run(make_version(), GOOD)
    page = signed_in(dan).get(reverse("leaderboard"), {"as_of": "yesterday", "version": "999999"})
    assert page.status_code == 422
    assert "Enter a valid date." in page.content.decode()


def test_it_says_what_to_do_where_no_run_is(dan: Any, signed_in: Callable[[Any], Client]) -> None:
    assert "No run to rank" in signed_in(dan).get(reverse("leaderboard")).content.decode()


def test_it_gives_what_is_shown_as_harmless_csv(dan: Any, signed_in: Callable[[Any], Client]) -> None:
    version = make_version()
    make_run(version, GOOD, name="=cmd|' /C calc'!A0", phase="baseline")
    make_run(version, POOR, phase="deployment")
    [row] = csv.DictReader(io.StringIO(_file(signed_in(dan), "csv", phase="baseline").decode()))
    assert row["name"] == "'=cmd|' /C calc'!A0"
    assert float(row["overall"]) == pytest.approx(sum(GOOD) / 12)
    assert float(row["Gap analysis"]) == pytest.approx(sum(GOOD[2::3]) / 4)
    assert row["Gap analysis, n"] == "4"


def test_it_gives_the_same_board_in_every_format(dan: Any, signed_in: Callable[[Any], Client]) -> None:
    version, client = make_version(), signed_in(dan)
    make_run(version, GOOD, name="Good")
    make_run(version, [None] * 12, name="Errors")
    rows = list(csv.DictReader(io.StringIO(_file(client, "csv").decode())))
    document = json.loads(_file(client, "json"))
    lines = [json.loads(line) for line in _file(client, "jsonl").splitlines()]
    parquet: Any = import_module("pyarrow.parquet")
    typed = parquet.read_table(io.BytesIO(_file(client, "parquet"))).to_pylist()
    assert [row["name"] for row in rows] == [row["name"] for row in lines] == ["Good", "Errors"]
    assert document["runs"] == lines == typed
    assert document["board"]["version"] == version.number
    assert (lines[1]["overall"], rows[1]["overall"]) == (None, "")


def test_it_knows_no_other_format(dan: Any, signed_in: Callable[[Any], Client]) -> None:
    assert signed_in(dan).get(reverse("leaderboard-export"), {"format": "exe"}).status_code == 404


def _file(client: Client, name: str, **filters: str) -> bytes:
    response: Any = client.get(reverse("leaderboard-export"), {"format": name, **filters})
    return b"".join(response)
