"""A run set up: estimated, tested for whether its models answer, and started in one go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from scoring import runs
from scoring.models import Endpoint, Run
from tests.engine.making import echo, endpoint, started, version

SignedIn = Callable[[Any], Client]
NOBODY = "http://127.0.0.1:1"
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


def test_it_leaves_nothing_behind_when_it_is_killed_between_saving_and_starting(
    alice: Any, signed_in: SignedIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(run: Run) -> None:
        raise SystemExit

    monkeypatch.setattr(runs, "start", killed)
    with pytest.raises(SystemExit):
        signed_in(alice).post("/runs/new/", FORM | {"version": version(1).pk, "endpoint": echo().pk})
    assert not Run.objects.exists()


@pytest.mark.parametrize("silent", ["endpoint", "judge"])
def test_it_starts_nothing_while_a_model_does_not_answer(
    alice: Any, signed_in: SignedIn, silent: str
) -> None:
    asked = {"endpoint": echo(), "judge": echo(), silent: endpoint(NOBODY, name="Far away")}
    response = signed_in(alice).post("/runs/new/", FORM | _chosen(**asked))
    page = response.content.decode()
    assert response.status_code == 422
    assert "Far away does not answer.</strong> 127.0.0.1:1 cannot be reached: is it running?" in page
    assert not Run.objects.exists()


def test_it_names_both_where_neither_answers(alice: Any, signed_in: SignedIn) -> None:
    asked = {"endpoint": endpoint(NOBODY), "judge": endpoint(NOBODY)}
    response = signed_in(alice).post("/runs/new/", FORM | _chosen(**asked))
    assert [one.endpoint for one in response.context["unready"]] == list(asked.values())


def test_it_starts_anyway_when_told_to(alice: Any, signed_in: SignedIn) -> None:
    form = FORM | _chosen(endpoint=endpoint(NOBODY)) | {"anyway": "yes"}
    signed_in(alice).post("/runs/new/", form)
    assert Run.objects.get().state == "queued"


@pytest.mark.parametrize("press", ["start", "repeat"])
def test_it_tests_the_connection_of_drafts_and_repeated_runs_too(
    alice: Any, signed_in: SignedIn, press: str
) -> None:
    client, silent = signed_in(alice), endpoint(NOBODY)
    run = started(version(1), silent)
    pressed = runs.again(run) if press == "start" else run
    page = client.post(f"/runs/{pressed.pk}/{press}/").content.decode()
    assert f"{silent.name} does not answer." in page
    assert Run.objects.filter(state="queued").count() == 1
    client.post(f"/runs/{pressed.pk}/{press}/", {"anyway": "yes"})
    assert Run.objects.filter(state="queued").count() == 2


def _chosen(**asked: Endpoint) -> dict[str, int]:
    return {"version": version(1).pk, **{name: one.pk for name, one in asked.items()}}
