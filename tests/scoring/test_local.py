"""A run driven in this process: asked, judged and scored beside each other, and left when told to."""

from __future__ import annotations

import time
from threading import Event, Thread
from typing import Any

import pytest
from django.db import connection

from scoring import runs
from scoring.engine import blockades, local
from scoring.models import Endpoint, Run
from tests.engine.making import echo, started, version

pytestmark = pytest.mark.django_db(transaction=True)

MARKS = '{"marks": {"accuracy": 4}, "rationale": "Good.", "confidence": 0.9}'


def driven(run: Run) -> Run:
    local.drive(run.pk, Event())
    return runs.get(run.pk)


def test_it_ends_when_its_own_run_does_and_leaves_others_at_the_endpoint() -> None:
    asked = echo(reply="The owner reviews the access logs every month.", delay=0.2)
    other, own = started(version(1000), asked), started(version(4), asked)
    assert driven(own).state == Run.State.FINAL
    assert other.responses.filter(state="waiting").count() > 500
    assert not other.responses.filter(state="asking").exists()


def test_it_scores_while_it_asks() -> None:
    asked = echo(reply="The owner reviews the access logs every month.", delay=0.1)
    run, stopping = started(version(2000), asked), Event()
    driver = Thread(target=_drive, args=(run.pk, stopping))
    driver.start()
    while not (scoring := run.scorings.first()) or not scoring.scores.exists():
        assert driver.is_alive()
        time.sleep(0.05)
    unasked = run.responses.filter(state="waiting").count()
    stopping.set()
    driver.join()
    assert unasked


def test_it_judges_with_the_model_that_answers() -> None:
    asked = echo(reply=MARKS)
    run = driven(started(version(2, benchmark="B12"), asked, judge=asked))
    assert run.state == Run.State.AWAITING_REVIEW
    assert run.verdicts.filter(state="done").count() == 2


def test_it_ends_with_the_error_when_a_step_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(run_id: int, **_: Any) -> None:
        raise RuntimeError(f"Run {run_id} cannot be scored.")

    run = started(version(2), echo())
    monkeypatch.setitem(local._STEPS, "score", fail)
    with pytest.raises(RuntimeError, match="cannot be scored"):
        local.drive(run.pk, Event())


def test_it_tries_no_endpoint_once_it_is_told_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    run, tried = started(version(2), echo()), list[Endpoint]()
    blockades.block([run.pk], run.endpoint, "It does not answer.")
    monkeypatch.setattr(blockades, "probe", tried.append)
    local.drive(run.pk, _Impatience())
    assert not tried


class _Impatience(Event):
    """Somebody who says stop as soon as anyone waits."""

    def wait(self, timeout: float | None = None) -> bool:
        self.set()
        return super().wait(timeout)


def _drive(run_id: int, stopping: Event) -> None:
    local.drive(run_id, stopping)
    connection.close()
