"""Cases to the words by which they are found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.base import ContentFile

from scoring import receiving, searching, tasks
from scoring.models import Case, SearchEntry, Version
from tests.uploads.rows import ccop, lines

Import = Callable[..., Version]


def _rows(count: int) -> list[dict[str, Any]]:
    return [
        ccop(f"B3-{number:03}", expected_response=f"Turbine {number} is dormant.") for number in range(count)
    ]


def test_it_finds_the_cases_of_a_small_import_at_once(dataset: Import) -> None:
    version = dataset(*_rows(3))

    assert [case.key for case in Case.objects.of(version).matching("turbines 2")] == ["B3-002"]


def test_it_leaves_the_words_of_a_large_import_for_later(
    dataset: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "AT_ONCE", 2)
    told: list[int] = []
    version = dataset(*_rows(5))

    assert not Case.objects.of(version).matching("turbine").exists()
    assert searching.prepare(progress=told.append) == 5
    assert Case.objects.of(version).matching("turbine").count() == 5
    assert told == [2, 4, 5]


def test_it_writes_only_what_is_missing(dataset: Import) -> None:
    dataset(*_rows(4))
    SearchEntry.objects.filter(case__key="B3-001").delete()

    assert (searching.prepare(), searching.prepare()) == (1, 0)


def test_it_keeps_to_one_dataset_when_told(dataset: Import, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "AT_ONCE", 1)
    one = dataset(*_rows(2), name="one").dataset
    dataset(ccop("B4-001"), ccop("B4-002"), name="two")

    assert searching.prepare(one) == 2
    assert SearchEntry.objects.filter(case__dataset__name="two").count() == 0


def test_it_follows_every_upload_and_every_sweep(alice: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "AT_ONCE", 2)
    upload = receiving.receive([ContentFile(lines(*_rows(5)), "b3.jsonl")], "first", "ccop", False, alice)
    tasks.process_upload(upload.pk)
    assert SearchEntry.objects.count() == 5

    SearchEntry.objects.all().delete()
    tasks.sweep_uploads()
    assert SearchEntry.objects.count() == 5
