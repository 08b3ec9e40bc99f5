"""The pages of those who settle: agreement, adjudication, calibration, items and the record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from reviews import agreement, assignments, sampling, submissions
from reviews.models import CalibrationRound, Draw, Event, ReviewItem
from scoring.models import Run

MakeRun = Callable[..., Run]
SignIn = Callable[[Any], Client]
LOW = {"accuracy": 1, "completeness": 3, "practicality": 4, "clarity": 5}
HIGH = LOW | {"accuracy": 5}


@pytest.fixture
def run(make_run: MakeRun, bob: Any, carol: Any) -> Run:
    """A run with one disputed answer, which bob has flagged, and one that they agree on."""
    made = make_run({"B7": 2})
    sampling.draw(made)
    for person, choices in ((bob, (LOW, HIGH)), (carol, (HIGH, HIGH))):
        for marks in choices:
            found = assignments.next(person)
            assert found
            flagged = person == bob and marks is LOW
            comment = "Is this our clause?" if flagged else ""
            submissions.submit(found.pk, person, marks, flagged=flagged, comment=comment, seconds=30)
    return made


def test_it_shows_the_gate_every_measure_and_what_to_do(run: Run, dan: Any, signed_in: SignIn) -> None:
    words = signed_in(dan).get(f"/runs/{run.pk}/agreement/").content.decode()
    for part in (
        "By criterion",
        "By benchmark",
        "By pair",
        "Bob and Carol",
        "Marks over time",
        "Weighted kappa",
    ):
        assert part in words
    assert "1 answer is disputed" in words
    assert "Finalise" not in words


def test_it_leads_from_a_pair_to_the_answers_where_they_differ(
    run: Run, bob: Any, carol: Any, dan: Any, signed_in: SignIn
) -> None:
    words = signed_in(dan).get(f"/runs/{run.pk}/agreement/{bob.pk}/{carol.pk}/").content.decode()
    assert "accuracy 1 : 5" in words


def test_it_lists_what_is_disputed_and_what_is_flagged(run: Run, alice: Any, signed_in: SignIn) -> None:
    client = signed_in(alice)
    page = client.get("/adjudication/")
    assert page.context["count"] == 1
    assert "Is this our clause?" in page.content.decode()
    assert client.get("/adjudication/?apart=4&run=junk").context["count"] == 1
    assert client.get(f"/adjudication/?apart=x&run={run.pk + 1}").context["count"] == 1


def test_it_settles_without_names_and_keeps_what_was_typed(run: Run, alice: Any, signed_in: SignIn) -> None:
    client, item = signed_in(alice), ReviewItem.objects.get(state="disputed")
    words = client.get(f"/adjudication/{item.pk}/").content.decode()
    assert "flagged" in words
    assert "Bob" not in words
    marks = {f"mark-{key}": "3" for key in LOW}
    page = client.post(f"/adjudication/{item.pk}/", marks | {"why": " "})
    assert (page.status_code, b"Say why you settle" in page.content) == (422, True)
    assert page.content.count(b'value="3" checked') == 4
    assert client.post(f"/adjudication/{item.pk}/", marks | {"why": "The clause decides."}).status_code == 302
    item.refresh_from_db()
    assert item.state == "settled"


def test_it_says_how_far_reviewers_agreed_before_an_answer_was_settled(
    run: Run, alice: Any, signed_in: SignIn
) -> None:
    client, item = signed_in(alice), ReviewItem.objects.get(state="disputed")
    marks = {f"mark-{key}": "3" for key in LOW}
    client.post(f"/adjudication/{item.pk}/", marks | {"why": "The clause decides."})
    words = client.get(f"/runs/{run.pk}/agreement/").content.decode()
    assert "Settled answers count as agreed here; as the reviewers gave their marks it is 0.88" in words


def test_it_keeps_a_slot_for_someone_and_frees_it_again(
    make_run: MakeRun, alice: Any, bob: Any, dan: Any, signed_in: SignIn
) -> None:
    run, client = make_run({"B7": 3}), signed_in(alice)
    sampling.draw(run)
    item = run.review_items.last()
    assert item
    client.post(f"/items/{item.pk}/assign/", {"person": bob.pk})
    item.refresh_from_db()
    assert item.assigned_to == bob
    client.post(f"/items/{item.pk}/assign/", {"person": ""})
    item.refresh_from_db()
    assert item.assigned_to is None
    assert client.post(f"/items/{item.pk}/assign/", {"person": dan.pk}).status_code == 404


def test_it_lists_the_answers_for_people_by_state(run: Run, dan: Any, signed_in: SignIn) -> None:
    client = signed_in(dan)
    assert len(client.get(f"/runs/{run.pk}/items/").context["page"].rows) == 2
    (row,) = client.get(f"/runs/{run.pk}/items/?state=disputed").context["page"].rows
    assert row.spread == 4


def test_it_asks_as_often_for_many_answers_as_for_few(
    make_run: MakeRun, dan: Any, signed_in: SignIn, django_assert_max_num_queries: Any
) -> None:
    run, client = make_run({"B7": 40}), signed_in(dan)
    sampling.draw(run)
    with django_assert_max_num_queries(8):
        client.get(f"/runs/{run.pk}/items/")


@pytest.mark.parametrize(("percent", "message"), [("", "as a number"), ("10", "Choose a share above")])
def test_it_refuses_a_share_that_draws_no_more(
    make_run: MakeRun, alice: Any, signed_in: SignIn, percent: str, message: str
) -> None:
    run = make_run({"B12": 10}, confidences=[0.9])
    sampling.draw(run)
    page = signed_in(alice).post(f"/runs/{run.pk}/widen/", {"percent": percent}, follow=True)
    assert message in page.content.decode()


def test_it_draws_more_verdicts_on_its_page(make_run: MakeRun, alice: Any, signed_in: SignIn) -> None:
    run = make_run({"B12": 10}, confidences=[0.9])
    sampling.draw(run)
    signed_in(alice).post(f"/runs/{run.pk}/widen/", {"percent": "50"})
    assert (run.review_items.count(), Draw.objects.get().drawn) == (5, 5)


@pytest.fixture
def round_begun(make_run: MakeRun, alice: Any, bob: Any, carol: Any, signed_in: SignIn) -> CalibrationRound:
    """A calibration round that everybody has marked."""
    run = make_run({"B7": 12})
    sampling.draw(run)
    signed_in(alice).post(f"/runs/{run.pk}/calibrate/")
    for person, marks in ((bob, LOW), (carol, HIGH)):
        for _ in range(10):
            found = assignments.next(person)
            assert found
            submissions.submit(found.pk, person, marks)
    return CalibrationRound.objects.get()


def test_it_keeps_what_was_typed_when_a_round_cannot_be_concluded(
    round_begun: CalibrationRound, alice: Any, bob: Any, signed_in: SignIn
) -> None:
    path, client = f"/calibrations/{round_begun.pk}/", signed_in(alice)
    assert signed_in(bob).get(path).status_code == 403
    names = [f"mark-{item.pk}-{key}" for item in round_begun.items.all() for key in LOW]
    typed = dict.fromkeys(names, "4") | {names[0]: "9", "outcome": "Accuracy first."}
    page = client.post(path, typed)
    assert page.status_code == 422
    assert b"Accuracy first." in page.content
    assert page.content.count(b'value="4"') == 39
    assert client.post(path, typed | {names[0]: "4"}).status_code == 302


def test_it_shows_reviewers_what_a_round_came_to_and_only_how_they_stood(
    round_begun: CalibrationRound, alice: Any, bob: Any, signed_in: SignIn
) -> None:
    names = [f"mark-{item.pk}-{key}" for item in round_begun.items.all() for key in LOW]
    path = f"/calibrations/{round_begun.pk}/"
    signed_in(alice).post(path, dict.fromkeys(names, "4") | {"outcome": "Accuracy first."})
    client = signed_in(bob)
    assert "Accuracy first." in client.get("/queue/").content.decode()
    words = client.get(path).content.decode()
    assert "Bob" in words
    assert "Carol" not in words
    assert client.post(path, {}).status_code == 403


def test_it_tells_reviewers_how_agreement_stood(run: Run, bob: Any, signed_in: SignIn) -> None:
    assert not agreement.kept(bob)
    agreement.report(run)
    words = signed_in(bob).get("/queue/").content.decode()
    assert "How agreement stands" in words
    assert run.name not in words


def test_it_shows_what_was_decided_before_and_after(run: Run, alice: Any, signed_in: SignIn) -> None:
    client = signed_in(alice)
    words = client.get("/audit/?verb=marked").content.decode()
    assert "&quot;accuracy&quot;: 1" in words
    assert "rubric 1" in words
    lines = client.get("/audit/export/").getvalue().decode().splitlines()
    assert len(lines) == 1 + Event.objects.count()
    assert '""accuracy"": 1' in "".join(lines)
