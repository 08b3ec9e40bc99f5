"""The marking page: blind, forgiving, and nothing that was typed is lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from reviews import adjudication, assignments, sampling, submissions
from reviews.models import Assignment, Review, ReviewItem
from scoring.models import Run

MakeRun = Callable[..., Run]
SignIn = Callable[[Any], Client]
TYPED = {
    "mark-accuracy": "2",
    "mark-completeness": "4",
    "mark-practicality": "4",
    "comment": "Typed at length.",
}
WHOLE = TYPED | {"mark-clarity": "5"}


@pytest.fixture
def assignment(make_run: MakeRun, bob: Any) -> Assignment:
    """An answer in bob's hands."""
    sampling.draw(make_run({"B7": 2}))
    return _next(bob)


def _next(person: Any) -> Assignment:
    found = assignments.next(person)
    assert found
    return found


def _submit(client: Client, assignment: Assignment, **more: str) -> Any:
    return client.post(f"/reviews/{assignment.pk}/submit/", WHOLE | more)


def _typed_again(page: Any) -> bool:
    """Say whether a page still has what was typed."""
    words = page.content.decode()
    return "Typed at length." in words and "What you typed is still here." in words


def test_it_shows_the_answer_and_nothing_that_could_sway(
    assignment: Assignment, bob: Any, carol: Any, signed_in: SignIn, marks: dict[str, int]
) -> None:
    theirs = _next(carol)
    submissions.submit(theirs.pk, carol, marks, comment="Carol was here.")
    words = signed_in(bob).get(f"/reviews/{assignment.pk}/").content.decode()
    assert assignment.item.response.content in words
    for secret in ("a-model", "Carol", assignment.item.run.name, "judge-model"):
        assert secret not in words


def test_it_takes_marks_and_goes_on_to_the_next(assignment: Assignment, bob: Any, signed_in: SignIn) -> None:
    client = signed_in(bob)
    answer = _submit(client, assignment, token="t1", seconds="12.5")
    assert (answer.status_code, answer["Location"]) == (302, "/queue/next/")
    assert client.get("/queue/next/")["Location"] != f"/reviews/{assignment.pk}/"
    assert Review.objects.get().seconds == 12.5


def test_it_takes_a_double_click_as_one(assignment: Assignment, bob: Any, signed_in: SignIn) -> None:
    client = signed_in(bob)
    answers = [_submit(client, assignment, token="t1").status_code for _ in range(2)]
    assert (answers, Review.objects.count()) == ([302, 302], 1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "There is no mark for clarity."),
        ({"mark-clarity": "6"}, "give a whole number from 1 to 5"),
        ({"mark-clarity": "0"}, "give a whole number from 1 to 5"),
        ({"mark-clarity": "4", "mark-beauty": "4"}, "This rubric has no criterion beauty."),
    ],
)
def test_it_names_what_is_wrong_with_the_marks_and_keeps_them(
    assignment: Assignment, bob: Any, signed_in: SignIn, wrong: dict[str, str], message: str
) -> None:
    client = signed_in(bob)
    page = client.post(f"/reviews/{assignment.pk}/submit/", TYPED | wrong)
    assert page.status_code == 422
    assert message in page.content.decode()
    assert _typed_again(page)
    assert [row["mark"] for row in page.context["criteria"]][:3] == ["2", "4", "4"]
    assert b"Typed at length." in client.get(f"/reviews/{assignment.pk}/").content


def test_it_tells_a_second_tab_that_the_first_has_submitted(
    assignment: Assignment, bob: Any, signed_in: SignIn, marks: dict[str, int]
) -> None:
    submissions.submit(assignment.pk, bob, marks, token="first tab")
    page = _submit(signed_in(bob), assignment, token="second tab")
    assert page.status_code == 422
    assert "perhaps in another tab" in page.content.decode()
    assert _typed_again(page)


def test_it_offers_to_take_marks_back_to_whoever_comes_back(
    assignment: Assignment, bob: Any, signed_in: SignIn
) -> None:
    client = signed_in(bob)
    _submit(client, assignment)
    assert "Take my marks back" in client.get(f"/reviews/{assignment.pk}/").content.decode()
    client.post(f"/reviews/{assignment.pk}/undo/")
    page = client.get(f"/reviews/{assignment.pk}/")
    assert [row["mark"] for row in page.context["criteria"]] == ["2", "4", "4", "5"]


def test_it_takes_marks_after_the_lease_as_long_as_there_is_room(
    assignment: Assignment, bob: Any, signed_in: SignIn
) -> None:
    Assignment.objects.update(leased_until=timezone.now() - timedelta(minutes=1))
    assignments.expire()
    assert _submit(signed_in(bob), assignment).status_code == 302


def test_it_says_that_the_answer_went_to_another_reviewer(
    make_run: MakeRun, bob: Any, carol: Any, signed_in: SignIn
) -> None:
    sampling.draw(make_run({"B7": 1}, reviewers=1))
    assignment = _next(bob)
    Assignment.objects.update(leased_until=timezone.now() - timedelta(minutes=1))
    assert _next(carol).item == assignment.item
    page = _submit(signed_in(bob), assignment)
    assert page.status_code == 422
    assert "went to another reviewer" in page.content.decode()
    assert _typed_again(page)


def test_it_says_that_the_answer_was_settled_meanwhile(
    assignment: Assignment, alice: Any, bob: Any, signed_in: SignIn, marks: dict[str, int]
) -> None:
    ReviewItem.objects.filter(pk=assignment.item_id).update(state="complete")
    adjudication.settle(assignment.item_id, alice, marks, "Enough is known.")
    page = _submit(signed_in(bob), assignment)
    assert page.status_code == 422
    assert "settled meanwhile" in page.content.decode()
    assert _typed_again(page)


def test_it_says_that_the_run_takes_no_marks_any_more(
    assignment: Assignment, bob: Any, signed_in: SignIn
) -> None:
    Run.objects.update(state=Run.State.FINAL)
    page = _submit(signed_in(bob), assignment)
    assert page.status_code == 422
    assert "takes no marks: it is final" in page.content.decode()
    assert _typed_again(page)


@pytest.mark.parametrize("what", ["submit", "decide", "skip", "decline"])
def test_it_says_that_the_run_was_deleted_and_gives_back_what_was_typed(
    assignment: Assignment, bob: Any, signed_in: SignIn, what: str
) -> None:
    Run.objects.all().delete()
    page = signed_in(bob).post(f"/reviews/{assignment.pk}/{what}/", WHOLE)
    assert page.status_code == 410
    assert "its run was deleted" in page.content.decode()
    assert _typed_again(page)


def test_it_tells_a_reviewer_who_was_removed_in_the_middle(
    assignment: Assignment, bob: Any, signed_in: SignIn
) -> None:
    client = signed_in(bob)
    bob.role = "manager"
    bob.save()
    page = _submit(client, assignment)
    assert page.status_code == 422
    assert "Only reviewers mark answers" in page.content.decode()
    assert _typed_again(page)
    assert Assignment.objects.get().draft["comment"] == "Typed at length."


def test_it_keeps_drafts_and_says_when(assignment: Assignment, bob: Any, signed_in: SignIn) -> None:
    client = signed_in(bob)
    answer = client.post(f"/reviews/{assignment.pk}/draft/", TYPED | {"seconds": "30.5"})
    assert set(answer.json()) == {"saved"}
    page = client.get(f"/reviews/{assignment.pk}/").content.decode()
    assert "Typed at length." in page
    assert 'data-seconds="30.5"' in page


def test_it_says_that_a_draft_cannot_stay(assignment: Assignment, bob: Any, signed_in: SignIn) -> None:
    Run.objects.all().delete()
    answer = signed_in(bob).post(f"/reviews/{assignment.pk}/draft/", TYPED)
    assert (answer.status_code, "run was deleted" in answer.json()["error"]) == (409, True)


def test_it_keeps_out_of_other_peoples_hands(assignment: Assignment, carol: Any, signed_in: SignIn) -> None:
    client = signed_in(carol)
    assert client.get(f"/reviews/{assignment.pk}/").status_code == 404
    assert _submit(client, assignment).status_code == 410
    assert not Review.objects.exists()


def test_it_skips_declines_and_takes_up_again(assignment: Assignment, bob: Any, signed_in: SignIn) -> None:
    client = signed_in(bob)
    client.post(f"/reviews/{assignment.pk}/skip/")
    assert b"Take up again" in client.get("/queue/").content
    client.post(f"/reviews/{assignment.pk}/take/")
    page = client.post(f"/reviews/{assignment.pk}/decline/", {"why": ""})
    assert (page.status_code, b"Say why you decline" in page.content) == (422, True)
    client.post(f"/reviews/{assignment.pk}/decline/", {"why": "I know its author."})
    assert Assignment.objects.get(pk=assignment.pk).state == "declined"


def test_it_gives_the_next_answer_ahead(assignment: Assignment, bob: Any, signed_in: SignIn) -> None:
    client = signed_in(bob)
    coming = client.get(f"/reviews/{assignment.pk}/ahead/")
    path = coming["X-Review-Path"]
    _submit(client, assignment)
    assert client.get("/queue/next/")["Location"] == path
    last = Assignment.objects.exclude(pk=assignment.pk).get()
    assert client.get(f"/reviews/{last.pk}/ahead/").status_code == 204


def test_it_shows_the_verdict_after_the_marks_and_asks_for_a_reason(
    make_run: MakeRun, bob: Any, signed_in: SignIn
) -> None:
    sampling.draw(make_run({"B12": 1}, confidences=[0.5]))
    assignment, client = _next(bob), signed_in(bob)
    before = client.get(f"/reviews/{assignment.pk}/").content.decode()
    assert "Sound, but incomplete." not in before
    assert "not sure" not in before
    assert _submit(client, assignment)["Location"] == f"/reviews/{assignment.pk}/"
    after = client.get(f"/reviews/{assignment.pk}/").content.decode()
    assert "Sound, but incomplete." in after
    assert "The judge was not sure" in after
    page = client.post(f"/reviews/{assignment.pk}/decide/", {"decision": "override", "reason": " "})
    assert (page.status_code, b"Say why you override" in page.content) == (422, True)
    done = client.post(
        f"/reviews/{assignment.pk}/decide/", {"decision": "override", "reason": "Wrong clause."}
    )
    assert done["Location"] == "/queue/next/"
    assert Review.objects.get().reason == "Wrong clause."


def test_it_lists_what_comes_next_in_the_order_it_is_handed_out(
    make_run: MakeRun, alice: Any, bob: Any, carol: Any, signed_in: SignIn
) -> None:
    for _ in range(2):
        sampling.draw(make_run({"B7": 3}))
    last = ReviewItem.objects.order_by("-turn", "-run").first()
    assert last
    assignments.assign(last, bob, alice)
    foreseen = [item.pk for item in assignments.upcoming(bob)]
    handed_out = []
    while found := assignments.next(bob):
        handed_out.append(found.item_id)
        assignments.skip(found.pk, bob)
    assert foreseen == handed_out
    assert foreseen[0] == last.pk
    assert b"Next in line" in signed_in(carol).get("/queue/").content
