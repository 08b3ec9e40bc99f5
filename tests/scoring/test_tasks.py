"""Bells without a broker: nobody waits for it, nobody sees an error, and it is left alone for a while."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from scoring import receiving, tasks
from scoring.engine.bells import Bell
from scoring.models import Upload
from tests.bell_wires import ringing_at
from tests.scoring.conftest import ccop_row
from tests.uploads.rows import lines


@pytest.fixture
def dead_broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Name a broker where nobody listens, and forget what was known of the one before."""
    monkeypatch.setattr(tasks, "wake", tasks._Line().wake)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with ringing_at(f"redis://127.0.0.1:{port}/0"):
        yield


class Task:
    """A task that counts how often it is sent."""

    name = "counting"

    def __init__(self, *errors: Exception) -> None:
        self.sent = 0
        self.errors = list(errors)

    def apply_async(self, arguments: tuple[int], **options: Any) -> None:
        self.sent += 1
        if self.errors:
            raise self.errors.pop()


@pytest.mark.usefixtures("dead_broker")
def test_it_goes_on_when_nobody_can_be_woken(caplog: pytest.LogCaptureFixture) -> None:
    tasks.ring(Bell("ask", 1))
    assert "The broker does not answer" in caplog.text


def test_it_leaves_a_broker_that_does_not_answer_alone_for_a_while() -> None:
    line, task = tasks._Line(), Task(ConnectionError("gone"))
    for _ in range(3):
        line.wake(task, 1)
    assert task.sent == 1


def test_it_tries_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "_LEFT_ALONE_SECONDS", 0.0)
    line, task = tasks._Line(), Task(ConnectionError("gone"))
    for _ in range(3):
        line.wake(task, 1)
    assert task.sent == 3


def test_it_tells_what_goes_wrong_where_nobody_waits(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tasks, "ring", lambda bell: 1 / 0)
    tasks._ring_aside(Bell("ask", 1))
    assert "A bell could not be rung" in caplog.text
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.usefixtures("dead_broker")
def test_it_takes_an_upload_that_no_worker_can_be_told_of(
    alice: Any,
    signed_in: Callable[[Any], Client],
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    monkeypatch.setattr(receiving, "SMALL", 10)
    file = SimpleUploadedFile("cases.jsonl", lines(ccop_row(1)))
    given = {"dataset_name": "gaps", "suite": "ccop", "files": file, "action": "import"}
    with django_capture_on_commit_callbacks(execute=True) as rung:
        page = signed_in(alice).post(reverse("scoring:upload-new"), given)
    assert page.status_code == 302
    assert len(rung) == 1
    assert Upload.objects.get().state == Upload.State.WAITING
