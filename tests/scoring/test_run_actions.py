"""The buttons of a run: offered where they are allowed, and what they do."""

from __future__ import annotations

import re
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from django.test import Client

from scoring import runs
from scoring.engine import local
from scoring.models import Run
from tests.engine.making import echo, started, version

SignedIn = Callable[[Any], Client]
STATES = [str(state) for state in Run.State]


@pytest.fixture
def run(transactional_db: None) -> Run:
    """A run that is through, with one answer that failed."""
    made = started(version(3), echo(reply="The owner reviews the access logs every month."))
    local.drive(made.pk, Event())
    made.responses.filter(position=3).update(state="failed", error_kind="too_long")
    return Run.objects.get(pk=made.pk)


def _offered(client: Client, run: Run) -> set[str]:
    page = client.get(f"/runs/{run.pk}/progress/").content.decode()
    return set(re.findall(rf"(?:formaction|href)=\"/runs/{run.pk}/(\w+)/\"", page)) & {
        *runs.ALLOWED,
        "repeat",
    }


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("press", runs.ALLOWED)
def test_it_offers_no_button_that_it_then_refuses(
    alice: Any, run: Run, signed_in: SignedIn, state: str, press: str
) -> None:
    run = runs.again(run) if state == "draft" else run
    Run.objects.filter(pk=run.pk).update(state=state)
    client = signed_in(alice)
    offered = press in _offered(client, run)
    page = client.post(f"/runs/{run.pk}/{press}/", follow=True).content.decode()
    assert not (offered and "This one is" in page)


@pytest.mark.parametrize(
    ("state", "offered"),
    [
        ("draft", {"start", "delete"}),
        ("running", {"pause", "retry", "cancel"}),
        ("paused", {"resume", "retry", "repeat", "cancel"}),
        ("final", {"retry", "rescore", "repeat"}),
        ("failed", {"retry", "repeat"}),
        ("cancelled", {"repeat"}),
    ],
)
def test_it_offers_what_a_state_allows(
    alice: Any, run: Run, signed_in: SignedIn, state: str, offered: set[str]
) -> None:
    Run.objects.filter(pk=run.pk).update(state=state)
    assert _offered(signed_in(alice), run) == offered


def test_it_offers_to_keep_a_run_paused_that_would_go_on_by_itself(
    alice: Any, run: Run, signed_in: SignedIn
) -> None:
    client = signed_in(alice)
    Run.objects.filter(pk=run.pk).update(state="paused", paused_by_portal=True)
    assert "pause" in _offered(client, run)
    client.post(f"/runs/{run.pk}/pause/")
    assert "pause" not in _offered(client, run)


def test_it_offers_nothing_to_those_who_may_not(dan: Any, run: Run, signed_in: SignedIn) -> None:
    assert _offered(signed_in(dan), run) == set()


def test_it_pauses_resumes_and_cancels(alice: Any, signed_in: SignedIn) -> None:
    client, made = signed_in(alice), started(version(2), echo())
    for action, state in (("pause", "paused"), ("resume", "queued"), ("cancel", "cancelled")):
        client.post(f"/runs/{made.pk}/{action}/")
        made.refresh_from_db()
        assert made.state == state


def test_it_asks_before_it_cancels(alice: Any, signed_in: SignedIn) -> None:
    client, made = signed_in(alice), started(version(2), echo())
    page = client.get(f"/runs/{made.pk}/cancel/").content.decode()
    made.refresh_from_db()
    assert made.state == "queued"
    assert "2 questions will not be answered any more" in page
    assert "Cancel for good" in page


def test_it_counts_no_questions_where_all_are_answered(alice: Any, run: Run, signed_in: SignedIn) -> None:
    Run.objects.filter(pk=run.pk).update(state="awaiting_review")
    page = signed_in(alice).get(f"/runs/{run.pk}/cancel/").content.decode()
    assert "It ends for good, without a final score. What was answered stays." in page


@pytest.mark.parametrize("press", ["cancel", "delete"])
def test_it_asks_nothing_that_it_would_then_refuse(
    alice: Any, run: Run, signed_in: SignedIn, press: str
) -> None:
    response = signed_in(alice).get(f"/runs/{run.pk}/{press}/")
    assert response["Location"] == run.get_absolute_url()


def test_it_says_what_a_run_cannot_do_in_its_state(alice: Any, run: Run, signed_in: SignedIn) -> None:
    page = signed_in(alice).post(f"/runs/{run.pk}/pause/", follow=True).content.decode()
    assert "Only a run that is under way can be paused." in page


def test_it_starts_a_draft(alice: Any, run: Run, signed_in: SignedIn) -> None:
    draft = runs.again(run)
    signed_in(alice).post(f"/runs/{draft.pk}/start/")
    draft.refresh_from_db()
    assert (draft.state, draft.responses.count()) == ("queued", 3)


def test_it_deletes_a_draft_once_asked_to(alice: Any, run: Run, signed_in: SignedIn) -> None:
    client, draft = signed_in(alice), runs.again(run)
    assert "Delete for good" in client.get(f"/runs/{draft.pk}/delete/").content.decode()
    assert Run.objects.filter(pk=draft.pk).exists()
    client.post(f"/runs/{draft.pk}/delete/")
    assert not Run.objects.filter(pk=draft.pk).exists()


def test_it_deletes_nothing_that_was_started(alice: Any, run: Run, signed_in: SignedIn) -> None:
    page = signed_in(alice).post(f"/runs/{run.pk}/delete/", follow=True).content.decode()
    assert "Only a draft can be deleted. This one is final." in page
    assert Run.objects.filter(pk=run.pk).exists()


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


def test_it_leaves_no_draft_behind_where_nothing_can_be_run_again(
    alice: Any, run: Run, signed_in: SignedIn
) -> None:
    Run.objects.filter(pk=run.pk).update(test_ids=["B99-001"])
    page = signed_in(alice).post(f"/runs/{run.pk}/repeat/", follow=True).content.decode()
    assert "No case matches" in page
    assert Run.objects.count() == 1


def test_it_scores_again_and_keeps_the_old_scores(alice: Any, run: Run, signed_in: SignedIn) -> None:
    signed_in(alice).post(f"/runs/{run.pk}/rescore/")
    local.drive(run.pk, Event())
    assert [scoring.scores.count() for scoring in run.scorings.all()] == [2, 3]
