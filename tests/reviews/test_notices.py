"""Notices: what waits for whom; e-mail only where it is switched on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reviews import assignments, notices, sampling, submissions
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


def test_it_writes_to_nobody_by_default(make_run: MakeRun, bob: Any, mailoutbox: Any) -> None:
    sampling.draw(make_run())
    bob.email = "bob@example.org"
    bob.save()
    assert notices.send("https://portal.example.org/") == 0
    assert not mailoutbox


def test_it_writes_to_those_for_whom_work_waits(
    make_run: MakeRun, bob: Any, carol: Any, mailoutbox: Any, settings: Any
) -> None:
    settings.REVIEW_NOTICES = True
    sampling.draw(make_run())
    bob.email = "bob@example.org"
    bob.save()
    assert notices.send("https://portal.example.org/") == 1
    assert mailoutbox[0].to == ["bob@example.org"]
    assert "3 answers wait to be marked" in mailoutbox[0].body
