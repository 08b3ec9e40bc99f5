"""Home by role: the queue and how long it takes, what runs and what failed, the board and its gates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.test import Client
from django.utils import timezone

from evalportal import leaderboard
from evalportal.leaderboard import Filters
from evalportal.models import Export
from reviews import agreement, assignments, sampling, submissions
from reviews.models import Review
from scoring import receiving
from scoring.engine import workers
from scoring.models import Response, Run, Upload
from tests.engine.making import echo, started, version
from tests.evalportal.scored_runs import make_run, make_version
from tests.reviews.making import MARKS, build_run

pytestmark = pytest.mark.django_db
SignedIn = Callable[[Any], Client]
GOOD = [0.9, 0.8, 1.0, 0.7, 0.9, 0.6, 0.8, 1.0, 0.9, 0.8, 0.7, 0.9]


@pytest.fixture(autouse=True)
def _nothing_drawn() -> None:
    cache.clear()


def _home(client: Client) -> str:
    return client.get("/").content.decode()


def _mark(person: Any, count: int, seconds: float, **changes: int) -> None:
    for _ in range(count):
        found = assignments.next(person)
        assert found
        submissions.submit(found.pk, person, MARKS | changes, seconds=seconds)


def _reviewed() -> Run:
    run = build_run({"B7": 5})
    sampling.draw(run)
    return run


def test_it_tells_a_reviewer_how_many_answers_wait_and_how_long_they_take(
    bob: Any, signed_in: SignedIn
) -> None:
    _reviewed()
    client = signed_in(bob)
    assert "how long it takes shows once you have marked some" in _home(client)

    _mark(bob, 2, 40)
    Review.objects.filter(pk=Review.objects.latest("pk").pk).update(seconds=80)
    page = _home(client)
    assert "<b>3</b><span>wait for you</span>" in page
    assert "<b>3 min</b><span>for all of it, at your 60 s an answer</span>" in page


def test_it_tells_a_reviewer_how_agreement_stands(bob: Any, carol: Any, signed_in: SignedIn) -> None:
    run = _reviewed()
    _mark(bob, 2, 40)
    _mark(carol, 2, 40, clarity=1)
    agreement.report(run)
    page = _home(signed_in(bob))
    assert f"Run {run.pk}: 75 % of 80 % asked for" in page
    assert "not enough yet" in page


def test_it_asks_few_queries_for_a_reviewer(
    bob: Any, signed_in: SignedIn, django_assert_num_queries: Any
) -> None:
    _reviewed()
    client = signed_in(bob)
    with django_assert_num_queries(6):
        client.get("/")


def test_it_tells_an_admin_where_to_begin(alice: Any, signed_in: SignedIn) -> None:
    page = _home(signed_in(alice))
    assert "First steps" in page
    assert page.index("Upload cases") < page.index("Add a model") < page.index("Start a run")
    assert "No run is under way." in page
    assert "Nothing has failed of late." in page


def test_it_needs_no_first_steps_where_all_is_there(alice: Any, bob: Any, signed_in: SignedIn) -> None:
    make_run(make_version(), GOOD)
    assert "First steps" not in _home(signed_in(alice))


def test_it_tells_an_admin_how_far_runs_are(alice: Any, signed_in: SignedIn) -> None:
    run = started(version(4), echo(), name="half way")
    Response.objects.filter(run=run, position__lte=2).update(state="done")
    Response.objects.filter(run=run, position=3).update(state="failed")
    page = _home(signed_in(alice))
    assert "3 of 4 answers" in page
    assert "1 failed" in page
    assert '<progress max="4" value="3" aria-label="Answers of half way">' in page


def test_it_tells_an_admin_which_queues_have_a_worker(alice: Any, signed_in: SignedIn) -> None:
    client = signed_in(alice)
    assert _home(client).count("nobody listens") == 4
    workers.pulse("one", ["inference", "judging", "default"])
    page = _home(client)
    assert (page.count("nobody listens"), page.count(">listening<")) == (1, 3)
    assert "<code>make run</code> starts them" in page


def test_it_tells_an_admin_what_failed_and_what_stands_still(alice: Any, signed_in: SignedIn) -> None:
    made, asked, now = version(2), echo(), timezone.now()
    plain = {"version": made, "endpoint": asked}
    Run.objects.create(
        name="broken", state="failed", reason="Not one was answered.", finished_at=now, **plain
    )
    Run.objects.create(name="held up", state="paused", reason="It is down.", blocked_by=asked, **plain)
    Run.objects.create(name="put aside", state="paused", reason="Paused by hand.", **plain)
    partly = make_run(make_version(), GOOD)
    partly.summary["answers"]["failed"] = 3
    partly.save()
    upload = receiving.receive([ContentFile(b"{}", "b7.jsonl")], "gaps", "ccop", False, alice)
    Upload.objects.update(state="failed", message="Its log says what.", finished_at=now)
    Export.objects.create(
        run=partly,
        what="run",
        format="csv",
        state="failed",
        message="The disk is full.",
        created_by=alice,
        finished_at=now,
    )
    page = _home(signed_in(alice))
    for words in (
        "Run failed</span>",
        "Not one was answered.",
        "Run paused by the portal</span>",
        "It is down.",
        "3 of its questions got no answer",
        f'<span class="tag bad">Upload failed</span> <a href="{upload.get_absolute_url()}">gaps</a>',
        "The disk is full.",
    ):
        assert words in page, words
    assert "Paused by hand." not in page


def test_it_asks_as_many_queries_for_an_admin_however_much_goes_on(
    alice: Any, signed_in: SignedIn, django_assert_num_queries: Any
) -> None:
    client = signed_in(alice)
    made, asked = version(3), echo()
    for _ in range(5):
        started(made, asked)
        make_run(make_version(), GOOD)
    with django_assert_num_queries(16):
        client.get("/")


def test_it_shows_a_manager_the_head_of_the_board(dan: Any, signed_in: SignedIn) -> None:
    made = make_version()
    for place in range(6):
        make_run(made, [score - place / 10 for score in GOOD], name=f"model no {place}")
    Run.objects.filter(name="model no 1").update(state="awaiting_review")
    client = signed_in(dan)
    page = _home(client)
    overall = leaderboard.board(Filters()).rows[0].figures["overall"]
    assert page.index("model no 0") < page.index("model no 1") < page.index("model no 4")
    assert "model no 5" not in page
    assert "1 more on the" in page
    assert f"{overall['low']:.2f} to {overall['high']:.2f}" in page
    assert (page.count(">validated<"), page.count(">provisional<")) == (4, 1)


def test_it_shows_a_manager_the_gates_that_are_not_met(
    bob: Any, carol: Any, dan: Any, signed_in: SignedIn
) -> None:
    run = _reviewed()
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now())
    run.scorings.update(finished_at=timezone.now())
    client = signed_in(dan)
    assert "agreement not measured yet" in _home(client)

    _mark(bob, 2, 40)
    _mark(carol, 2, 40, clarity=1)
    page = _home(client)
    assert "agreement 75 %, 80 % asked for" in page
    assert "of 5 answers marked" in page


def test_it_tells_a_manager_that_there_is_nothing_yet(dan: Any, signed_in: SignedIn) -> None:
    page = _home(signed_in(dan))
    assert "No run to rank yet" in page
    assert "No run awaits review." in page


def test_it_asks_as_many_queries_for_a_manager_however_many_runs_there_are(
    dan: Any, signed_in: SignedIn, django_assert_num_queries: Any
) -> None:
    client = signed_in(dan)
    for _ in range(4):
        build_run({"B7": 2})
    made = make_version()
    for _ in range(4):
        make_run(made, GOOD)
    client.get("/")
    with django_assert_num_queries(8):
        client.get("/")
