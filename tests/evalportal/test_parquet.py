"""Parquet: the same rows as everywhere else, with types, in row groups."""

from __future__ import annotations

import io
import json
from importlib import import_module
from typing import Any

import pytest

from evalportal.exports import formats
from scoring import runs
from scoring.models import Score
from tests.reviews.making import MARKS, build_run

parquet: Any = import_module("pyarrow.parquet")
pytestmark = pytest.mark.django_db


def _table(run: Any, what: str) -> Any:
    return parquet.ParquetFile(io.BytesIO(b"".join(formats.export(runs.get(run.pk), what, "parquet"))))


def test_it_writes_what_the_other_formats_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "_ROWS_AT_ONCE", 2)
    run = build_run({"B7": 5})
    Score.objects.update(values={"grounding": 1.0, "key_fact_recall": None}, overall=None, passed=None)

    file = _table(run, "results")

    assert (file.num_row_groups, file.metadata.num_rows) == (3, 5)
    rows = file.read().to_pylist()
    assert [row["test_id"] for row in rows] == [f"B7-{number:03}" for number in range(1, 6)]
    assert (rows[0]["grounding"], rows[0]["key_fact_recall"], rows[0]["overall_score"]) == (1.0, None, None)
    assert (rows[0]["truncated"], rows[0]["sample"], rows[0]["noise"]) == (False, 1, 0.0)
    assert f'"id": {run.pk}'.encode() in file.schema_arrow.metadata[b"run"]


def test_it_keeps_its_types_where_there_is_no_row() -> None:
    run = build_run({"B12": 1}, confidences=[0.9])
    marks, verdicts = _table(run, "marks"), _table(run, "verdicts")
    assert marks.metadata.num_rows == 0
    assert str(marks.schema_arrow.field("mark").type) == "int64"
    assert json.loads(verdicts.read().to_pylist()[0]["marks"]) == MARKS
