"""Handing out: nobody twice, never more than there is room for, and nothing stays locked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from evalportal.models import Person
from reviews import assignments, drafts, sampling, submissions
from reviews.assignments import NoSlotError
from reviews.items import NotAReviewerError, NotYoursError, ReviewError
from reviews.models import Assignment, Event, Place, ReviewItem
from scoring.models import Run
from tests.reviews.making import MARKS, build_run

MakeRun = Callable[..., Run]


def _drawn(make_run: MakeRun, size: int = 3, **more: Any) -> Run:
    run = make_run({"B7": size}, **more)
    sampling.draw(run)
    return run


def _next(person: Any) -> Assignment:
    found = assignments.next(person)
    assert found
    return found


def _mark(person: Any) -> Assignment:
    found = _next(person)
    submissions.submit(found.pk, person, MARKS)
    return found


def _lapse(assignment: Assignment) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(leased_until=timezone.now() - timedelta(minutes=1))


def test_it_hands_an_answer_to_two_people_in_the_same_order(make_run: MakeRun, bob: Any, carol: Any) -> None:
    _drawn(make_run)
    ours = [[_mark(person).item_id for _ in range(3)] for person in (bob, carol)]
    assert ours[0] == ours[1]
    assert assignments.next(bob) is None


def test_it_never_hands_out_more_slots_than_there_are(
    make_run: MakeRun, bob: Any, carol: Any, erin: Any
) -> None:
    _drawn(make_run, size=1)
    assert assignments.next(bob)
    assert assignments.next(carol)
    assert assignments.next(erin) is None
    assert ReviewItem.objects.get().taken == 2


def test_it_gives_back_what_the_person_has_in_hand_already(make_run: MakeRun, bob: Any) -> None:
    _drawn(make_run)
    assert _next(bob).pk == _next(bob).pk
    assert ReviewItem.objects.filter(taken=1).count() == 1


def test_it_loads_the_next_item_ahead_and_hands_that_one_out_next(make_run: MakeRun, bob: Any) -> None:
    _drawn(make_run)
    first = _next(bob)
    ahead = assignments.peek(bob, besides=first.pk)
    again = assignments.peek(bob, besides=first.pk)
    assert ahead
    assert again
    assert first.pk != ahead.pk == again.pk
    submissions.submit(first.pk, bob, MARKS)
    assert _next(bob).pk == ahead.pk


def test_it_goes_round_between_runs(make_run: MakeRun, bob: Any) -> None:
    one, other = _drawn(make_run), _drawn(make_run)
    order = [_mark(bob).item.run_id for _ in range(6)]
    assert order == [one.pk, other.pk] * 3


def test_it_begins_with_a_new_run_at_once(make_run: MakeRun, bob: Any) -> None:
    _drawn(make_run, size=5)
    _mark(bob)
    _mark(bob)
    fresh = _drawn(make_run)
    assert _mark(bob).item.run_id == fresh.pk


def test_it_returns_a_lease_that_has_run_out_to_others(make_run: MakeRun, bob: Any, carol: Any) -> None:
    _drawn(make_run, size=1, reviewers=1)
    _lapse(_next(bob))
    taken = _next(carol)
    assert taken.person_id == carol.pk
    assert Assignment.objects.get(person=bob).state == "expired"
    assert assignments.next(bob) is None


def test_it_gives_an_expired_item_back_to_the_same_person_with_its_draft(make_run: MakeRun, bob: Any) -> None:
    _drawn(make_run)
    first = _next(bob)
    drafts.save(first.pk, bob, {"accuracy": 2}, "half done")
    _lapse(first)
    assert assignments.expire() == 1
    again = _next(bob)
    assert again.pk == first.pk
    assert again.draft["comment"] == "half done"


def test_it_hands_out_what_came_back_behind_a_persons_place(make_run: MakeRun, bob: Any, carol: Any) -> None:
    _drawn(make_run, reviewers=1)
    first = _next(bob)
    assert _mark(carol).item_id != first.item_id
    assert _mark(carol).item_id != first.item_id
    assignments.release(first.pk, bob)
    assert _next(carol).item_id == first.item_id


def test_it_remembers_what_was_skipped_until_it_is_taken_up(make_run: MakeRun, bob: Any) -> None:
    _drawn(make_run, size=2)
    first = _next(bob)
    assignments.skip(first.pk, bob)
    assert _mark(bob).item_id != first.item_id
    assert assignments.next(bob) is None
    assert [one.pk for one in assignments.skipped(bob)] == [first.pk]
    assert assignments.take_up(first.pk, bob).state == "leased"


def test_it_does_not_take_up_what_others_have_taken(
    make_run: MakeRun, bob: Any, carol: Any, erin: Any
) -> None:
    _drawn(make_run, size=1)
    first = _next(bob)
    assignments.skip(first.pk, bob)
    _next(carol)
    _next(erin)
    with pytest.raises(NoSlotError):
        assignments.take_up(first.pk, bob)


def test_it_never_offers_again_what_was_declined_and_says_why(make_run: MakeRun, bob: Any) -> None:
    _drawn(make_run, size=1)
    first = _next(bob)
    assignments.decline(first.pk, bob, "I wrote this system's policy.")
    assert assignments.next(bob) is None
    assert Event.objects.get(verb="declined").why == "I wrote this system's policy."
    with pytest.raises(ReviewError, match="Only what you skipped"):
        assignments.take_up(first.pk, bob)


def test_it_asks_why_an_item_is_declined(make_run: MakeRun, bob: Any) -> None:
    _drawn(make_run)
    with pytest.raises(ReviewError, match="Say why"):
        assignments.decline(_next(bob).pk, bob, "  ")


def test_it_keeps_a_slot_for_a_named_person(make_run: MakeRun, alice: Any, bob: Any, carol: Any) -> None:
    run = _drawn(make_run, size=2, reviewers=1)
    last = run.review_items.latest("turn")
    assignments.assign(last, carol, alice)
    assert _mark(bob).item_id != last.pk
    assert assignments.next(bob) is None
    assert _next(carol).item_id == last.pk


def test_it_frees_the_slot_of_a_named_person_who_leaves(
    make_run: MakeRun, alice: Any, bob: Any, carol: Any
) -> None:
    run = _drawn(make_run, size=1, reviewers=1)
    assignments.assign(run.review_items.get(), carol, alice)
    assert assignments.next(bob) is None
    Person.objects.filter(pk=carol.pk).update(is_active=False)
    assignments.expire()
    assert assignments.next(bob)


def test_it_returns_what_a_removed_reviewer_had_in_hand(make_run: MakeRun, bob: Any, carol: Any) -> None:
    _drawn(make_run, size=1, reviewers=1)
    _next(bob)
    Person.objects.filter(pk=bob.pk).update(is_active=False)
    assert _next(carol)
    bob.refresh_from_db()
    with pytest.raises(NotAReviewerError):
        assignments.next(bob)


@pytest.mark.parametrize("who", ["alice", "dan"])
def test_it_hands_nothing_to_those_who_do_not_mark(
    make_run: MakeRun, who: str, request: pytest.FixtureRequest
) -> None:
    _drawn(make_run)
    with pytest.raises(NotAReviewerError):
        assignments.next(request.getfixturevalue(who))


def test_it_refuses_to_touch_what_someone_else_has_in_hand(make_run: MakeRun, bob: Any, carol: Any) -> None:
    _drawn(make_run)
    with pytest.raises(NotYoursError):
        assignments.skip(_next(bob).pk, carol)


def test_it_hands_out_nothing_of_a_run_that_is_closed(make_run: MakeRun, bob: Any) -> None:
    run = _drawn(make_run)
    _next(bob)
    Run.objects.filter(pk=run.pk).update(state=Run.State.CANCELLED)
    assert assignments.next(bob) is None


def test_it_shows_neither_the_model_nor_the_scores_with_what_it_hands_out(
    make_run: MakeRun, bob: Any, django_assert_num_queries: Any
) -> None:
    _drawn(make_run)
    found = _next(bob)
    with django_assert_num_queries(0):
        assert found.item.response.case.question
        assert found.item.rubric.name
    assert not {"raw", "token_scores"} & found.item.response.__dict__.keys()
    assert "run" not in found.item._state.fields_cache


def test_it_looks_no_further_back_than_the_persons_place(make_run: MakeRun, bob: Any) -> None:
    _drawn(make_run)
    _mark(bob)
    _mark(bob)
    assert Place.objects.get(person=bob).turn == 2


@pytest.mark.django_db(transaction=True)
def test_it_serves_fifty_people_at_once_without_duplicates_or_deadlocks() -> None:
    runs = [build_run({"B7": 20}) for _ in range(2)]
    for run in runs:
        sampling.draw(run)
    people = [Person.objects.create_user(f"r{n}", name=f"R{n}", role="reviewer") for n in range(50)]

    def work(person: Person) -> list[int]:
        taken = []
        try:
            while found := assignments.next(person):
                submissions.submit(found.pk, person, MARKS)
                taken.append(found.item_id)
        finally:
            connection.close()
        return taken

    with ThreadPoolExecutor(50) as pool:
        taken = list(pool.map(work, people))
    assert all(len(set(own)) == len(own) for own in taken)
    counts = Counter(item for own in taken for item in own)
    assert set(counts.values()) == {2}
    assert len(counts) == 40
    assert not ReviewItem.objects.exclude(state="complete", taken=2).exists()


@pytest.mark.django_db(transaction=True)
def test_it_leaves_nothing_unmarked_when_two_people_race_through_the_same_queue() -> None:
    sampling.draw(build_run({"B7": 60}))
    people = [Person.objects.create_user(name, name=name, role="reviewer") for name in ("bob", "carol")]

    def work(person: Person) -> int:
        count = 0
        try:
            while found := assignments.next(person):
                submissions.submit(found.pk, person, MARKS)
                count += 1
        finally:
            connection.close()
        return count

    with ThreadPoolExecutor(2) as pool:
        counts = list(pool.map(work, people))
    # A row that the other holds at the very end is passed over for that moment, and found when asked again.
    counts = [count + work(person) for count, person in zip(counts, people, strict=True)]
    assert counts == [60, 60]


@pytest.mark.django_db(transaction=True)
def test_it_gives_a_person_with_many_tabs_each_item_once() -> None:
    sampling.draw(build_run({"B7": 5}))
    person = Person.objects.create_user("bob", name="Bob", role="reviewer")

    def ask(_: int) -> int:
        try:
            found = assignments.next(person)
            assert found
            return found.item_id
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        assert len(set(pool.map(ask, range(20)))) == 1
    assert ReviewItem.objects.filter(taken=1).count() == 1
