"""Scoring answers made elsewhere: every line scored with its evidence, or told why not."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.scoring.conftest import ccop_row

pytestmark = pytest.mark.django_db


def _score(path: Path, *rows: Any, suite: str = "ccop", **options: Any) -> list[dict[str, Any]]:
    source, output = path / "answers.jsonl", path / "scores.jsonl"
    source.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    call_command("score", source, suite=suite, output=output, stderr=StringIO(), **options)
    return [json.loads(line) for line in output.read_text().splitlines()]


def test_it_scores_an_answer_with_its_whole_case(tmp_path: Path) -> None:
    (found,) = _score(tmp_path, ccop_row(1, 3, response="Access rights are reviewed every year."))
    assert found["id"] == "B3-001"
    assert found["values"]["grounding"] == 1.0
    assert 0 < found["overall"] <= 1
    assert found["details"]["key_fact_recall"]["evidence"]


def test_it_finds_cases_by_their_id(tmp_path: Path, dataset: Callable[..., Any]) -> None:
    dataset(ccop_row(1, 3))
    (found,) = _score(tmp_path, {"test_id": "B3-001", "response": "Reviewed."}, dataset="gaps")
    assert found["benchmark"] == "B3"


def test_it_leaves_tier_2_to_people(tmp_path: Path) -> None:
    (found,) = _score(tmp_path, ccop_row(1, 7, response="Close them."))
    assert (found["overall"], found["pending"]) == (None, "awaiting review")


def test_it_scores_tier_2_by_the_marks_that_a_line_brings(tmp_path: Path) -> None:
    marks = [{"accuracy": 5, "completeness": 5, "practicality": 5, "clarity": 5}]
    (found,) = _score(tmp_path, ccop_row(1, 7, response="Close them.", marks=marks))
    assert found["values"]["rubric"] == 1.0


def test_it_tells_every_bad_line_and_scores_the_others(tmp_path: Path) -> None:
    rows = [
        "{",
        "[1]",
        {"response": "x"},
        {"id": "B9-999", "response": "x"},
        ccop_row(1, 3),
        ccop_row(2, 3, response=5),
    ]
    good = ccop_row(3, 3, response="Reviewed every year.")
    with pytest.raises(CommandError, match="6 lines were not scored"):
        _score(tmp_path, *rows, good)
    lines = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text().splitlines()]
    assert [line["line"] for line in lines if "error" in line] == [1, 2, 3, 4, 5, 6]
    assert lines[-1]["id"] == "B3-003"


def test_it_scores_rgb_at_its_noise(tmp_path: Path) -> None:
    case = {"id": 1, "query": "Which port?", "answer": "443", "positive": ["It is 443."], "negative": ["No."]}
    found = _score(tmp_path, {**case, "response": "I cannot answer.", "noise": 1.0}, suite="rgb")
    assert found[0]["values"]["rejection"] == 1.0


def test_it_says_which_dataset_is_missing(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no dataset 'nowhere'"):
        _score(tmp_path, {"id": "B3-001", "response": "x"}, dataset="nowhere")


def test_it_says_which_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("score", tmp_path / "nothing.jsonl", suite="ccop")
