"""Uploaded files to an upload in the database, and from there to a version or a list of bad lines."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.utils import timezone

from scoring import cases, receiving, tasks
from scoring.engine import locks
from scoring.engine.locks import Work
from scoring.models import Case, Dataset, Upload, UploadPiece, Version
from tests.bell_wires import heard
from tests.uploads.rows import ccop, lines

State = Upload.State

pytestmark = pytest.mark.django_db


def _receive(person: Any, *contents: bytes, check_only: bool = False, **options: Any) -> Upload:
    files = [ContentFile(content, f"b{number}.jsonl") for number, content in enumerate(contents, 1)]
    return receiving.receive(
        **{
            "files": files,
            "dataset_name": "first",
            "suite": "ccop",
            "check_only": check_only,
            "person": person,
        }
        | options
    )


def _processed(person: Any, *contents: bytes, **options: Any) -> Upload:
    upload = _receive(person, *contents, **options)
    receiving.process(upload)
    return Upload.objects.get(pk=upload.pk)


def test_it_keeps_files_in_pieces(alice: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receiving, "PIECE", 1000)
    upload = _receive(alice, b"x" * 2500, b"y" * 10)

    assert (upload.state, upload.total_bytes) == (State.WAITING, 2510)
    assert [(file.name, file.size, file.pieces.count()) for file in upload.files.all()] == [
        ("b1.jsonl", 2500, 3),
        ("b2.jsonl", 10, 1),
    ]


def test_it_refuses_more_than_the_portal_takes_and_keeps_nothing(alice: Any, settings: Any) -> None:
    settings.MAX_UPLOAD_BYTES = 2 * 1024 * 1024

    with pytest.raises(receiving.TooLargeError, match="larger than 2 MB together"):
        _receive(alice, b"x" * 1024 * 1024, b"x" * (1024 * 1024 + 1))

    assert not Upload.objects.exists()
    assert not UploadPiece.objects.exists()


def test_it_imports_all_files_and_lets_go_of_them(alice: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receiving, "PIECE", 100)
    upload = _processed(alice, lines(ccop("B3-001")), lines(ccop("B4-001"), ccop("B4-002")))

    assert (upload.state, upload.message, upload.rows) == (State.IMPORTED, "3 cases imported.", 3)
    assert upload.version
    assert (upload.version.number, upload.version.created_by) == (1, alice)
    assert upload.changes == {"added": 3, "changed": 0, "removed": 0, "unchanged": 0}
    assert upload.read_bytes == upload.total_bytes
    assert not UploadPiece.objects.exists()


def test_it_refuses_bad_lines_with_their_file_line_field_and_reason(alice: Any) -> None:
    upload = _processed(alice, lines(ccop()), lines(ccop("B4-001"), ccop("B4-002", key_facts=["One."])))

    assert (upload.state, upload.message, upload.problem_count) == (State.REFUSED, "1 problem found.", 1)
    ((file, line, field, reason),) = upload.problems
    assert (file, line, field) == ("b2.jsonl", 2, "key_facts")
    assert "3 to 8 facts" in reason
    assert not Dataset.objects.exists()


def test_it_lists_the_first_problems_and_counts_all(alice: Any) -> None:
    upload = _processed(alice, b"{oops\n" * 1_200)

    assert upload.message == "1,200 problems found. The first 1,000 are listed."
    assert (upload.problem_count, len(upload.problems)) == (1_200, 1_000)


BAD = {
    "not UTF-8": ('{"test_id": "B3-é"}\n'.encode("latin-1"), "is not UTF-8"),
    "UTF-16": ('{"test_id": 1}\n'.encode("utf-16"), "is UTF-16 text"),
    "empty": (b"", "holds no rows"),
    "a line of 5 MB": (b'{"question": "' + b"x" * 5_000_000 + b'"}\n', "is 5,000,016 bytes long"),
    "deep nesting": (b'{"a":' * 100_000 + b"}" * 100_000, "is nested more than 50 levels deep"),
    "duplicate keys": (b'{"a": 1, "a": 2}\n', "occurs more than once"),
    "NaN": (b'{"a": NaN}\n', "NaN is not JSON"),
    "numbers as texts": (lines(ccop(difficulty="2")), "must be Low, Medium, High or Critical"),
    "NUL": (b'{"a": "\\u0000"}\n', "holds a NUL character"),
    "lone surrogates": (b'{"a": "\\ud800"}\n', "holds half a character"),
    "an array": (b"[\n{}\n]\n", "is a JSON array"),
    "gzip": (b"\x1f\x8b\x08\x00", "is a gzip archive"),
    "zip": (b"PK\x03\x04", "is a zip archive"),
    "wrong suite": (
        lines({"id": "q1", "question": "What is a worm?"}),
        "looks like a row of the suite cybersec",
    ),
    "cut off": (lines(ccop())[:-9], "is cut off"),
}


@pytest.mark.parametrize("kind", BAD)
def test_it_refuses_bad_input_with_a_clear_message_and_saves_nothing(alice: Any, kind: str) -> None:
    content, reason = BAD[kind]
    upload = _processed(alice, content)

    assert (upload.state, upload.problem_count) == (State.REFUSED, 1)
    assert reason in upload.problems[0][3]
    assert not Case.objects.exists()


@pytest.mark.parametrize("content", [b"\xef\xbb\xbf" + lines(ccop()), lines(ccop()).replace(b"\n", b"\r\n")])
def test_it_takes_marks_and_line_ends_of_windows(alice: Any, content: bytes) -> None:
    assert _processed(alice, content).state == State.IMPORTED


def test_it_refuses_a_dataset_of_another_suite(alice: Any) -> None:
    _processed(alice, lines(ccop()))
    upload = _processed(alice, lines({"id": 1, "question": "What is a worm?"}), suite="cybersec")

    assert upload.state == State.REFUSED
    assert upload.message.startswith("The dataset first holds cases of the suite ccop")


def test_it_checks_and_keeps_the_files_for_the_import(alice: Any) -> None:
    upload = _processed(alice, lines(ccop()), check_only=True)

    assert (upload.state, upload.message) == (
        State.CHECKED,
        "1 case checked, nothing is wrong. Nothing is imported yet.",
    )
    assert upload.changes["added"] == 1
    assert not Case.objects.exists()

    receiving.import_checked(upload)
    receiving.process(upload)

    assert (upload.state, Case.objects.count()) == (State.IMPORTED, 1)


def test_it_says_that_there_is_nothing_new(alice: Any) -> None:
    first = _processed(alice, lines(ccop()))
    again = _processed(alice, lines(ccop()))

    assert (again.state, again.version) == (State.IMPORTED, first.version)
    assert again.message == "Version 1 holds exactly the same: there is nothing new to import."


@pytest.mark.parametrize("state", [State.WAITING, State.REFUSED, State.IMPORTED])
def test_it_imports_only_what_was_checked(alice: Any, state: str) -> None:
    upload = _receive(alice, lines(ccop()))
    Upload.objects.filter(pk=upload.pk).update(state=state)

    with pytest.raises(receiving.NotImportableError, match="Upload them again"):
        receiving.import_checked(upload)


def test_it_cannot_import_files_that_were_removed(alice: Any) -> None:
    upload = _processed(alice, lines(ccop()), check_only=True)
    UploadPiece.objects.all().delete()

    with pytest.raises(receiving.NotImportableError):
        receiving.import_checked(upload)


def test_it_does_nothing_the_second_time(alice: Any) -> None:
    upload = _processed(alice, lines(ccop()))
    receiving.process(upload)

    assert Version.objects.count() == 1
    assert Upload.objects.get() == upload


def test_it_leaves_an_upload_alone_that_somebody_else_reads(alice: Any) -> None:
    upload = _receive(alice, lines(ccop()))
    with locks.session("a test") as other:
        assert locks.take(other, Work.READING, upload.pk)
        receiving.process(upload)

    assert (upload.state, Case.objects.count()) == (State.WAITING, 0)


def _at_once(numbers: tuple[int], **options: Any) -> None:
    """Do in place of a worker what it is woken for."""
    tasks.process_upload.run(*numbers)


@pytest.mark.parametrize(
    ("lock", "what"),
    [("dataset first", "another upload of this dataset"), ("keys of ccop", "another upload of ccop cases")],
)
def test_it_keeps_no_worker_waiting_for_another_upload(
    alice: Any, monkeypatch: pytest.MonkeyPatch, lock: str, what: str
) -> None:
    monkeypatch.setattr(tasks.process_upload, "apply_async", _at_once)
    with locks.session("a test") as other:
        other.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [lock])
        upload = _processed(alice, lines(ccop()))
        assert (upload.state, Case.objects.count()) == (State.WAITING, 0)
        assert upload.message.startswith(f"It waits for {what}")
        assert receiving.unheard() == [upload.pk]

    tasks.sweep_uploads()
    upload.refresh_from_db()
    assert (upload.state, upload.message) == (State.IMPORTED, "1 case imported.")


def test_it_takes_up_what_was_put_off_when_the_other_upload_has_ended(
    alice: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rung: list[int] = []
    monkeypatch.setattr(tasks.process_upload, "apply_async", heard(rung))
    first, put_off, _ = (_receive(alice, lines(ccop(f"B3-00{number}"))) for number in (1, 2, 3))
    Upload.objects.filter(pk=put_off.pk).update(started_at=timezone.now())
    tasks.process_upload.run(first.pk)
    assert rung == [put_off.pk]


def test_it_starts_over_where_a_worker_has_died(alice: Any) -> None:
    upload = _receive(alice, lines(ccop()))
    Upload.objects.filter(pk=upload.pk).update(state=State.READING, rows=7, read_bytes=7)
    receiving.process(upload)

    assert (upload.state, upload.rows) == (State.IMPORTED, 1)


def test_it_says_so_when_something_breaks(alice: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "add", lambda *args, **kwargs: 1 / 0)
    upload = _processed(alice, lines(ccop()))

    assert upload.state == State.FAILED
    assert "its log" in upload.message


def test_it_removes_files_a_day_after_the_end_and_no_others(alice: Any) -> None:
    old, new, waiting = _receive(alice, b"[]"), _receive(alice, b"[]"), _receive(alice, b"[]")
    long_ago = timezone.now() - timedelta(hours=25)
    Upload.objects.filter(pk=old.pk).update(state=State.REFUSED, finished_at=long_ago)
    Upload.objects.filter(pk=new.pk).update(state=State.CHECKED, finished_at=timezone.now())
    Upload.objects.filter(pk=waiting.pk).update(finished_at=long_ago)

    assert receiving.sweep() == 1
    assert set(UploadPiece.objects.values_list("file__upload", flat=True)) == {new.pk, waiting.pk}


def test_it_rings_again_for_uploads_that_nobody_reads(alice: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    late, fresh = _receive(alice, lines(ccop())), _receive(alice, lines(ccop("B3-002")))
    Upload.objects.filter(pk=late.pk).update(created_at=timezone.now() - timedelta(minutes=2))
    monkeypatch.setattr(tasks.process_upload, "apply_async", _at_once)
    tasks.sweep_uploads()

    assert [Upload.objects.get(pk=upload.pk).state for upload in (late, fresh)] == [
        State.IMPORTED,
        State.WAITING,
    ]


@pytest.mark.django_db(transaction=True)
def test_it_is_read_once_when_two_workers_get_it(alice: Any) -> None:
    upload = _receive(alice, lines(*(ccop(f"B3-{number:03}") for number in range(400))))

    def work() -> None:
        tasks.process_upload(upload.pk)
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    upload.refresh_from_db()
    assert (upload.state, upload.rows, Version.objects.count()) == (State.IMPORTED, 400, 1)


@pytest.mark.django_db(transaction=True)
def test_it_shows_pages_how_far_it_is(alice: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that stops in the middle of the import sees what a page would see."""
    monkeypatch.setattr("scoring.upload_progress._SECONDS_BETWEEN_REPORTS", 0.0)
    monkeypatch.setattr(receiving, "PIECE", 10_000)
    upload = _receive(alice, lines(*(ccop(f"B3-{number:03}") for number in range(1_000))))
    seen: list[tuple[str, int, bool]] = []
    add = cases.add

    def watched(files: Any, *, progress: Any, **options: Any) -> Any:
        def tell(rows: int) -> None:
            progress(rows)
            with locks.session("a page") as page:
                row = page.execute("SELECT state, rows, read_bytes > 0 FROM scoring_upload").fetchone()
                seen.append(row or ("", 0, False))

        return add(files, progress=tell, **options)

    monkeypatch.setattr(cases, "add", watched)
    receiving.process(upload)

    assert seen == [("reading", 500, True), ("reading", 1_000, True)]


READER = """
import sys
import django
django.setup()
from django.db import connection
connection.settings_dict["NAME"] = sys.argv[1]
from scoring import receiving, upload_progress
from scoring.models import Upload

def stand_still(self, rows):
    print("in the middle", flush=True)
    sys.stdin.read()

upload_progress.Progress.tell = stand_still
receiving.process(Upload.objects.get(pk=int(sys.argv[2])))
"""


@pytest.mark.django_db(transaction=True)
def test_it_leaves_nothing_behind_when_it_is_killed_and_can_be_done_again(alice: Any) -> None:
    upload = _receive(alice, lines(*(ccop(f"B3-{number:03}") for number in range(900))))
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, connection.settings_dict["NAME"], str(upload.pk)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "evalportal.settings"},
    )
    assert reader.stdout
    assert reader.stdout.readline() == b"in the middle\n"
    reader.send_signal(signal.SIGKILL)
    reader.wait()
    _until(lambda: upload.pk not in locks.holders(Work.READING))

    upload.refresh_from_db()
    assert (upload.state, Case.objects.count(), Dataset.objects.count()) == (State.READING, 0, 0)

    receiving.process(upload)

    assert (upload.state, Case.objects.count()) == (State.IMPORTED, 900)


def _until(is_so: Any) -> None:
    deadline = time.monotonic() + 20
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert is_so()


MEMORY = """
import resource, sys
import django
django.setup()
from django.db import connection
connection.settings_dict["NAME"] = sys.argv[1]
from scoring import cases
from scoring.uploads import Source

def chunks(count):
    for number in range(count):
        note = b"word " * 20_000
        yield b'{"id": %d, "question": "What is a worm?", "metadata": {"note": "%s"}}\\n' % (number, note)

cases.add([Source("warm-up.jsonl", chunks(20))], dataset="warm-up", suite="cybersec")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
outcome = cases.add([Source("large.jsonl", chunks(int(sys.argv[2])))], dataset="large", suite="cybersec")
print(outcome.rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.django_db(transaction=True)
def test_it_takes_no_more_memory_for_a_file_of_60_mb_than_for_one_of_2_mb() -> None:
    """What stays is the key and the hash of each row: 200 MB or 500 MB of such rows change nothing."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, connection.settings_dict["NAME"], "600"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "evalportal.settings"},
    )
    rows, grown_kb = map(int, done.stdout.split())

    assert rows == 600
    assert grown_kb < 8 * 1024
