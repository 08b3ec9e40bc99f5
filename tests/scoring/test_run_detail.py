"""The pages of runs: set up, watched, pressed, read."""

from __future__ import annotations

import json
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from django.test import Client

from scoring import endpoints, runs
from scoring.engine import local
from scoring.models import Endpoint, Response, Run
from tests.engine.making import echo, started, version

SignedIn = Callable[[Any], Client]
FORM = {
    "name": "First",
    "samples": 1,
    "judge_votes": 1,
    "reviewers": 2,
    "validation_share": 0.2,
    "phase": "baseline",
    "seed": 0,
    "temperature": 0,
    "max_tokens": 64,
}


@pytest.fixture
def run(transactional_db: None) -> Run:
    """A run that is through."""
    made = started(version(3), echo(reply="The owner reviews the access logs every month."))
    local.drive(made.pk, Event())
    return Run.objects.get(pk=made.pk)


def test_it_starts_a_run(alice: Any, signed_in: SignedIn) -> None:
    made, asked = version(4), echo()
    response = signed_in(alice).post("/runs/new/", FORM | {"version": made.pk, "endpoint": asked.pk})
    run = Run.objects.get()
    assert response["Location"] == run.get_absolute_url()
    assert (run.state, run.responses.count(), run.parameters["max_tokens"]) == ("queued", 4, 64)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("samples", 0),
        ("threshold", 2),
        ("noise_levels", "lots"),
        ("version", 999),
        ("phase", "later"),
        ("name", ""),
    ],
)
def test_it_says_which_field_is_wrong(alice: Any, signed_in: SignedIn, field: str, value: Any) -> None:
    form = FORM | {"version": version(1).pk, "endpoint": echo().pk, field: value}
    response = signed_in(alice).post("/runs/new/", form)
    assert response.status_code == 422
    assert field in response.context["form"].errors


def test_it_says_that_no_case_matches(alice: Any, signed_in: SignedIn) -> None:
    form = FORM | {"version": version(1).pk, "endpoint": echo().pk, "test_ids": "B99-001"}
    response = signed_in(alice).post("/runs/new/", form)
    assert response.status_code == 422
    assert "No case matches" in response.content.decode()
    assert not Run.objects.exists()


def test_it_names_test_ids_that_no_case_has_although_others_match(alice: Any, signed_in: SignedIn) -> None:
    ids = "B3-000001 B3-999999 B9-000001"
    form = FORM | {"version": version(2).pk, "endpoint": echo().pk, "test_ids": ids}
    for path in ("/runs/new/", "/runs/estimate/"):
        page = signed_in(alice).post(path, form).content.decode()
        assert "No case matches B3-999999, B9-000001:" in page
    assert not Run.objects.exists()


def test_it_names_test_ids_of_benchmarks_that_were_not_chosen(alice: Any, signed_in: SignedIn) -> None:
    made = version(2)
    form = FORM | {"version": made.pk, "endpoint": echo().pk, "test_ids": "B3-000001", "benchmarks": ["B9"]}
    response = signed_in(alice).post("/runs/new/", form)
    assert "B3-000001" in response.context["form"].errors["test_ids"][0]


def test_it_leaves_temperature_and_tokens_to_the_server_where_they_are_blank(
    alice: Any, signed_in: SignedIn
) -> None:
    form = FORM | {"version": version(1).pk, "endpoint": echo().pk, "temperature": "", "max_tokens": ""}
    page = signed_in(alice).post("/runs/estimate/", form).content.decode()
    signed_in(alice).post("/runs/new/", form)
    assert Run.objects.get().parameters == {}
    assert "as the server limits them" in page


def test_it_says_that_log_probabilities_will_be_asked_for(alice: Any, signed_in: SignedIn) -> None:
    ranked = version(1, suite="cybersec", benchmark="cybersecurity_answers")
    for made, words in ((ranked, "<span>asked for</span>"), (version(1), "<span>not asked for</span>")):
        form = FORM | {"version": made.pk, "endpoint": echo().pk}
        assert words in signed_in(alice).post("/runs/estimate/", form).content.decode()


def test_it_says_how_much_work_a_run_is(alice: Any, signed_in: SignedIn) -> None:
    form = FORM | {"version": version(5).pk, "endpoint": echo().pk, "samples": 3}
    estimate = signed_in(alice).post("/runs/estimate/", form).context["estimate"]
    assert (estimate.cases, estimate.requests, estimate.most_completion_tokens) == (5, 15, 15 * 64)


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
    assert "No worker is listening on inference and scoring." in page


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


def test_it_pauses_resumes_and_cancels(alice: Any, signed_in: SignedIn) -> None:
    client, made = signed_in(alice), started(version(2), echo())
    for action, state in (("pause", "paused"), ("resume", "queued"), ("cancel", "cancelled")):
        client.post(f"/runs/{made.pk}/{action}/")
        made.refresh_from_db()
        assert made.state == state


def test_it_says_what_a_run_cannot_do_in_its_state(alice: Any, run: Run, signed_in: SignedIn) -> None:
    page = signed_in(alice).post(f"/runs/{run.pk}/pause/", follow=True).content.decode()
    assert "Only a run that is under way can be paused." in page


def test_it_runs_the_same_again(alice: Any, run: Run, signed_in: SignedIn) -> None:
    signed_in(alice).post(f"/runs/{run.pk}/repeat/")
    again = Run.objects.exclude(pk=run.pk).get()
    assert (again.version, again.endpoint, again.state) == (run.version, run.endpoint, "queued")


def test_it_asks_anew_what_the_cache_would_answer(alice: Any, run: Run, signed_in: SignedIn) -> None:
    client = signed_in(alice)
    assert "Ask anew" not in client.get(run.get_absolute_url()).content.decode()
    Run.objects.filter(pk=run.pk).update(use_cache=True)
    assert "Ask anew" in client.get(run.get_absolute_url()).content.decode()
    for sent in ({}, {"anew": "1"}):
        client.post(f"/runs/{run.pk}/repeat/", sent)
    repeated = Run.objects.exclude(pk=run.pk).order_by("pk")
    assert list(repeated.values_list("use_cache", flat=True)) == [True, False]


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


def test_it_scores_again_and_keeps_the_old_scores(alice: Any, run: Run, signed_in: SignedIn) -> None:
    signed_in(alice).post(f"/runs/{run.pk}/rescore/")
    local.drive(run.pk, Event())
    assert [scoring.scores.count() for scoring in run.scorings.all()] == [3, 3]


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


def test_it_hides_runs_from_reviewers_until_they_are_final(bob: Any, signed_in: SignedIn) -> None:
    made = started(version(1), echo())
    client = signed_in(bob)
    assert client.get(made.get_absolute_url()).status_code == 403
    assert made.name not in [run.name for run in client.get("/runs/").context["page"].rows]


def test_it_shows_errors_by_kind(alice: Any, signed_in: SignedIn, transactional_db: None) -> None:
    made = started(version(2), echo(fail=-1, kind="too_long", permanent=True))
    local.drive(made.pk, Event())
    page = signed_in(alice).get(made.get_absolute_url()).content.decode()
    assert "2 × too long" in page
    assert "Retry failed" in page
    runs.retry_failed(Run.objects.get(pk=made.pk))
    assert made.responses.filter(state="waiting").count() == 2
