"""Notices: what waits for whom; e-mail only where it is switched on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reviews import assignments, notices, sampling, submissions, tasks
from scoring.models import Run

MakeRun = Callable[..., Run]


def test_it_counts_what_waits_for_a_reviewer(make_run: MakeRun, bob: Any, marks: dict[str, int]) -> None:
    sampling.draw(make_run({"B7": 5}))
    assert notices.waiting(bob) == (0, 5, 0)
    first = assignments.next(bob)
    assert first
    assert notices.waiting(bob) == (1, 4, 0)
    assignments.skip(first.pk, bob)
    second = assignments.next(bob)
    assert second
    submissions.submit(second.pk, bob, marks)
    assert notices.waiting(bob) == (0, 3, 1)


def test_it_stops_counting_where_a_page_says_or_more(make_run: MakeRun, bob: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(notices, "MOST", 3)
    sampling.draw(make_run({"B7": 5}))
    assert notices.waiting(bob).free == 3
    assert notices.waiting(bob).more


@pytest.fixture
def addressed(bob: Any, settings: Any) -> Any:
    """Bob, with an address, in a portal that sends notices."""
    settings.REVIEW_NOTICES = True
    settings.PORTAL_URL = "https://portal.example.org"
    bob.email = "bob@example.org"
    bob.save()
    return bob


def test_it_writes_to_nobody_by_default(
    make_run: MakeRun, addressed: Any, mailoutbox: Any, settings: Any
) -> None:
    settings.REVIEW_NOTICES = False
    sampling.draw(make_run())
    assert notices.send() == 0
    assert not mailoutbox


def test_it_writes_to_those_for_whom_work_waits(
    make_run: MakeRun, addressed: Any, carol: Any, mailoutbox: Any
) -> None:
    sampling.draw(make_run())
    tasks.send_notices()
    (message,) = mailoutbox
    assert message.to == ["bob@example.org"]
    assert "3 answers wait to be marked" in message.body
    assert "https://portal.example.org/queue/" in message.body


def test_it_writes_once_about_the_same_work(make_run: MakeRun, addressed: Any, mailoutbox: Any) -> None:
    sampling.draw(make_run())
    assert [notices.send(), notices.send()] == [1, 0]
    sampling.draw(make_run())
    assert [notices.send(), notices.send()] == [1, 0]
    assert "6 answers wait" in mailoutbox[1].body


def test_it_writes_again_about_what_comes_back_once_all_was_done(
    make_run: MakeRun, addressed: Any, alice: Any, marks: dict[str, int]
) -> None:
    sampling.draw(make_run({"B7": 1}, reviewers=1))
    assert notices.send() == 1
    found = assignments.next(addressed)
    assert found
    assignments.release(found.pk, addressed)
    assert notices.send() == 0
    assert assignments.next(addressed) == found
    submissions.submit(found.pk, addressed, marks)
    assert notices.send() == 0
    submissions.undo(found.pk, addressed)
    assignments.release(found.pk, addressed)
    assert notices.send() == 1


def test_it_does_not_write_about_what_is_in_hand(make_run: MakeRun, addressed: Any) -> None:
    sampling.draw(make_run({"B7": 1}))
    assert assignments.next(addressed)
    assert notices.send() == 0


def test_it_tries_again_when_the_mail_server_does_not_answer(
    make_run: MakeRun, addressed: Any, settings: Any, mailoutbox: Any
) -> None:
    sampling.draw(make_run())
    backend = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_PORT = 1
    assert notices.send() == 0
    settings.EMAIL_BACKEND = backend
    assert notices.send() == 1


def test_it_shows_on_every_page_how_much_waits_where_that_is_on(
    make_run: MakeRun, addressed: Any, settings: Any, signed_in: Any
) -> None:
    sampling.draw(make_run())
    client = signed_in(addressed)
    assert b'hx-get="/queue/waiting/"' in client.get("/runs/").content
    assert client.get("/queue/waiting/").content.startswith(b"3<span")
    settings.REVIEW_NOTICES = False
    assert b"/queue/waiting/" not in client.get("/runs/").content
