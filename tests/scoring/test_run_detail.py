"""The pages of a run: watched and read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import Client

from scoring import endpoints, runs
from scoring.engine import local, workers
from scoring.models import Endpoint, Response, Run
from tests.engine.making import echo, started, version

SignedIn = Callable[[Any], Client]


@pytest.fixture
def run(transactional_db: None) -> Run:
    """A run that is through."""
    made = started(version(3), echo(reply="The owner reviews the access logs every month."))
    local.drive(made.pk, Event())
    return Run.objects.get(pk=made.pk)


def test_it_shows_what_a_run_scored(dan: Any, run: Run, signed_in: SignedIn) -> None:
    page = signed_in(dan).get(run.get_absolute_url()).content.decode()
    assert "Final" in page
    assert "mean over 3 answers" in page
    assert "Compliance judgement" in page


def test_it_stops_asking_for_progress_once_a_run_is_through(dan: Any, run: Run, signed_in: SignedIn) -> None:
    assert "hx-trigger" not in signed_in(dan).get(f"/runs/{run.pk}/progress/").content.decode()


def test_it_says_in_words_that_nobody_listens(alice: Any, signed_in: SignedIn) -> None:
    made = started(version(1), echo())
    page = signed_in(alice).get(made.get_absolute_url()).content.decode()
    assert (
        "No worker is listening on inference (the model is not asked), scoring (nothing is scored), "
        "default (nobody looks for work that was lost)." in page
    )


@pytest.mark.parametrize(
    ("heard", "silent"),
    [
        (["inference", "scoring", "default"], ["judging (the judge is not asked)"]),
        (["inference", "judging", "scoring"], ["default (nobody looks for work that was lost)"]),
        (["inference", "judging", "scoring", "default"], []),
    ],
)
def test_it_listens_for_every_worker_that_a_judged_run_needs(
    alice: Any, signed_in: SignedIn, heard: list[str], silent: list[str]
) -> None:
    made = started(version(1, benchmark="B12"), echo(), judge=echo())
    workers.pulse("worker@here", heard)
    assert signed_in(alice).get(f"/runs/{made.pk}/progress/").context["unheard"] == silent


@pytest.mark.parametrize(
    ("show", "count"), [("all", 3), ("failed", 0), ("below", 0), ("awaiting", 0), ("odd", 3)]
)
def test_it_narrows_the_answers(dan: Any, run: Run, signed_in: SignedIn, show: str, count: int) -> None:
    page = signed_in(dan).get(f"/runs/{run.pk}/responses/?show={show}")
    assert len(page.context["page"].rows) == count


def test_it_lists_answers_in_as_many_queries_as_ever(
    dan: Any, run: Run, signed_in: SignedIn, django_assert_num_queries: Any
) -> None:
    client = signed_in(dan)
    with django_assert_num_queries(5):
        client.get(f"/runs/{run.pk}/responses/")


def test_it_shows_answers_that_were_cut_off(dan: Any, signed_in: SignedIn, transactional_db: None) -> None:
    cut = {"test_id": "B3-000001", "response": "<think>The owner", "finish_reason": "length"}
    whole = {"test_id": "B3-000002", "response": "The owner reviews the logs.", "finish_reason": "stop"}
    asked = Endpoint.objects.create(name="recorded", gateway="recorded", model="elsewhere")
    endpoints.record(asked, [json.dumps(cut), json.dumps(whole)])
    made = started(version(2), asked)
    local.drive(made.pk, Event())
    page = signed_in(dan).get(f"/runs/{made.pk}/responses/?show=unfinished")
    assert [row.case.key for row in page.context["page"].rows] == ["B3-000001"]
    assert "Ran into the token limit" in page.content.decode()
    assert "Only reasoning, no answer" in page.content.decode()
    assert Run.objects.get(pk=made.pk).summary["answers"]["at_limit"] == 1


def test_it_explains_an_answer(dan: Any, run: Run, signed_in: SignedIn) -> None:
    answer = Response.objects.filter(run=run).first()
    assert answer
    page = signed_in(dan).get(f"{answer.get_absolute_url()}?metric=key_fact_recall").content.decode()
    assert "2 of 3 key facts are covered" in page
    assert '<mark class="' in page


def test_it_shows_a_models_words_as_text_never_as_code(
    dan: Any, signed_in: SignedIn, transactional_db: None
) -> None:
    made = started(
        version(1), echo(reply="<script>alert(1)</script> [x](javascript:alert(1)) ![y](http://e.x/y.png)")
    )
    local.drive(made.pk, Event())
    answer = Response.objects.get(run=made)
    page = signed_in(dan).get(answer.get_absolute_url()).content.decode()
    assert "<script>alert" not in page
    assert 'href="javascript' not in page
    assert "<img" not in page
    listed = signed_in(dan).get(made.get_absolute_url()).content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in listed
    assert "<script>alert" not in listed


def test_it_hides_runs_from_reviewers_until_they_are_final(bob: Any, signed_in: SignedIn) -> None:
    made = started(version(1), echo())
    client = signed_in(bob)
    assert client.get(made.get_absolute_url()).status_code == 403
    assert made.name not in [run.name for run in client.get("/runs/").context["page"].rows]


def test_it_shows_errors_by_kind(alice: Any, signed_in: SignedIn, transactional_db: None) -> None:
    made = started(version(2), echo(fail=-1, kind="too_long", permanent=True))
    local.drive(made.pk, Event())
    page = signed_in(alice).get(made.get_absolute_url()).content.decode()
    assert "2 answers failed: too long." in page
    assert "Retry failed" in page
    runs.retry_failed(Run.objects.get(pk=made.pk))
    assert made.responses.filter(state="waiting").count() == 2


def test_it_shows_what_waits_to_be_asked_again_and_why(alice: Any, signed_in: SignedIn) -> None:
    made = started(version(3), echo())
    later = Now() + timedelta(seconds=50)
    waiting = made.responses.filter(position__gt=1)
    waiting.update(error_kind="rate_limited", error="Fewer, please.", attempts=1, not_before=later)
    page = signed_in(alice).get(f"/runs/{made.pk}/progress/").content.decode()
    assert "2 answers wait to be asked again: rate limited.</strong> Fewer, please." in page
    assert "Retry failed" not in page


def test_it_offers_to_retry_where_only_verdicts_failed(
    alice: Any, signed_in: SignedIn, transactional_db: None
) -> None:
    judge = echo(fail=-1, kind="refused", permanent=True)
    made = started(version(2, benchmark="B12"), echo(reply="Yes."), judge=judge)
    local.drive(made.pk, Event())
    page = signed_in(alice).get(made.get_absolute_url()).content.decode()
    assert "2 verdicts failed: refused." in page
    assert "Retry failed" in page


@pytest.mark.parametrize("state", ["running", "paused", "final"])
@pytest.mark.parametrize("part", ["progress", "responses"])
def test_it_gives_all_that_can_be_focused_in_a_swapped_part_a_name(
    alice: Any, run: Run, signed_in: SignedIn, state: str, part: str
) -> None:
    Run.objects.filter(pk=run.pk).update(state=state)
    html = signed_in(alice).get(f"/runs/{run.pk}/{part}/").content.decode()
    reached = re.findall(r"<(?:a|button|summary)\b[^>]*>|<[^>]*\btabindex=[^>]*>", html)
    reached = [tag for tag in reached if tag != '<a href="">']  # shown without JavaScript only
    assert reached
    assert [tag for tag in reached if " id=" not in tag] == []
