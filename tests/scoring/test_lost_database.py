"""Asking while the database goes away: what was answered is kept, and nothing is asked twice."""

from __future__ import annotations

import time
from threading import Event, Thread
from uuid import uuid4

import pytest
from django.db import connection

from benchmarks.mock_server import Remote
from scoring.engine import claims, locks
from scoring.engine.locks import Work
from tests.engine.making import endpoint, started, version
from tests.scoring.asked import kinds, serve_until

pytestmark = pytest.mark.django_db(transaction=True)


def _end_sessions(endpoint_id: int) -> int:
    """Cut an asker's session with the database, as a restart of the server would."""
    with connection.cursor() as cursor:
        name = f"evalportal asker of endpoint {endpoint_id}"
        cursor.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = %s",
            [name],
        )
        return int(cursor.fetchone()[0])


def test_it_keeps_what_was_answered_while_the_database_was_away(mock: Remote) -> None:
    mock.control(latency=0.1)
    run = started(version(60), endpoint(mock.url, most=5))
    thread = Thread(target=serve_until, args=(run.endpoint_id, Event()))
    thread.start()
    for sent in (10, 25, 40):
        while mock.counts()["requests"] < sent:
            assert thread.is_alive()
            time.sleep(0.01)
        assert _end_sessions(run.endpoint_id) == 1
    thread.join(30)
    assert kinds(run) == {"done": 60}
    assert mock.counts()["requests"] == 60


def test_it_gives_up_waiting_for_the_database_when_told_to_stop(mock: Remote) -> None:
    mock.control(latency=0.1)
    run = started(version(200), endpoint(mock.url, most=5))
    stopping, errors = Event(), list[BaseException]()
    thread = Thread(target=_serve_and_tell, args=(run.endpoint_id, stopping, errors))
    thread.start()
    while not mock.counts()["requests"]:
        time.sleep(0.01)
    with locks.session("somebody who is quicker") as other:
        _end_sessions(run.endpoint_id)
        while not locks.take(other, Work.ASKING, run.endpoint_id):
            _end_sessions(run.endpoint_id)
        time.sleep(0.5)
        assert thread.is_alive()
        stopping.set()
        thread.join(20)
    assert not thread.is_alive()
    assert [isinstance(error, locks.LOST) for error in errors] == [True]


def test_it_leaves_when_another_asker_has_taken_over_what_it_held(mock: Remote) -> None:
    mock.control(latency=60)
    run = started(version(20), endpoint(mock.url, most=5))
    errors = list[BaseException]()
    thread = Thread(target=_serve_and_tell, args=(run.endpoint_id, Event(), errors))
    thread.start()
    while mock.counts()["in_flight"] < 5:
        time.sleep(0.01)
    with locks.session("the next asker") as other:
        while not locks.take(other, Work.ASKING, run.endpoint_id):
            _end_sessions(run.endpoint_id)
        claims.recover(other, claims.RESPONSES, [run.pk], uuid4())
        thread.join(20)
    assert not thread.is_alive()
    assert len(errors) == 1
    until_nothing_flies(mock)
    assert kinds(run) == {"waiting": 20}


def until_nothing_flies(mock: Remote) -> None:
    while mock.counts()["in_flight"]:
        time.sleep(0.01)


def _serve_and_tell(endpoint_id: int, stopping: Event, errors: list[BaseException]) -> None:
    try:
        serve_until(endpoint_id, stopping)
    except locks.LOST as error:
        errors.append(error)
    connection.close()
