"""The record of decisions: append-only, by the database's own refusal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from reviews import assignments, events, sampling, submissions
from reviews.events import Verb
from reviews.models import Event, Mark
from scoring.models import Run

REFUSED = "is refused: what was decided stays"


@pytest.mark.parametrize("statement", ["UPDATE reviews_event SET why = 'x'", "DELETE FROM reviews_event"])
def test_it_has_the_database_refuse_to_change_or_delete_an_event(alice: Any, statement: str) -> None:
    events.record(Verb.FINALISED, alice, run=1)
    with pytest.raises(IntegrityError, match=REFUSED), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert Event.objects.get().why == ""


def test_it_refuses_through_models_as_well(alice: Any) -> None:
    event = events.record(Verb.FINALISED, alice, run=1)
    with pytest.raises(IntegrityError, match=REFUSED), transaction.atomic():
        event.delete()
    event.why = "changed"
    with pytest.raises(IntegrityError, match=REFUSED), transaction.atomic():
        event.save()


def test_it_has_the_database_refuse_to_alter_a_mark(
    make_run: Callable[..., Run], bob: Any, marks: dict[str, int]
) -> None:
    sampling.draw(make_run())
    found = assignments.next(bob)
    assert found
    submissions.submit(found.pk, bob, marks)
    with pytest.raises(IntegrityError, match=REFUSED), transaction.atomic():
        Mark.objects.update(value=1)


def test_it_keeps_what_was_decided_when_the_run_is_deleted(make_run: Callable[..., Run]) -> None:
    run = make_run()
    sampling.draw(run)
    number = run.pk
    run.delete()
    assert Event.objects.get(run=number).verb == "drawn"


def test_it_lists_the_chain_of_decisions_on_an_answer(
    make_run: Callable[..., Run], bob: Any, marks: dict[str, int]
) -> None:
    sampling.draw(make_run())
    found = assignments.next(bob)
    assert found
    submissions.submit(found.pk, bob, marks)
    submissions.undo(found.pk, bob)
    submissions.submit(found.pk, bob, marks | {"clarity": 1})
    chain = events.chain(found.item.response)
    assert [(event.verb, event.who) for event in chain] == [
        ("marked", bob),
        ("taken back", bob),
        ("marked", bob),
    ]


def test_it_names_another_state_after_every_decision(make_run: Callable[..., Run], alice: Any) -> None:
    run = make_run()
    before = events.last(run)
    events.record(Verb.FINALISED, alice, run=run)
    assert events.last(run) != before
