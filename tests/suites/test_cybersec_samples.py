"""The cybersecurity samples: every row reads, and every reference answer is of the length it asks for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.suites import cybersec

FILE = Path(__file__).parents[2] / "samples" / "cybersec" / "questions.jsonl"


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def test_it_reads_every_row(rows: list[dict[str, Any]]) -> None:
    read = [cybersec.read(row, cybersec.BENCHMARKS) for row in rows]
    assert len(read) >= 30
    assert len({row.key for row in read}) == len({row.question for row in read}) == len(read)


def test_it_covers_many_topics_and_several_difficulties(rows: list[dict[str, Any]]) -> None:
    assert len({row["topic"] for row in rows}) >= 10
    assert {row["difficulty"] for row in rows} == {"Low", "Medium", "High"}


def test_it_has_reference_answers_of_the_length_they_ask_for(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        length = len(row["reference_answer"].split())
        assert 50 <= length <= 90, row["id"]
        assert abs(length - row["expected_length"]) <= 5, row["id"]


def test_it_ends_questions_and_answers_as_sentences_end(rows: list[dict[str, Any]]) -> None:
    assert all(row["question"].endswith("?") for row in rows)
    assert all(row["reference_answer"].endswith(".") for row in rows)
