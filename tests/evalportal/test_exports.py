"""What a run came to, as files: in pieces, in every format, and harmless to spreadsheets."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from evalportal.exports import formats, tables
from evalportal.exports.sinks import Sink
from reviews import adjudication, assignments, sampling, submissions
from scoring import recordings, results, runs
from scoring.models import Response, Run, Score
from scoring.recordings import Place
from tests.reviews.making import MARKS, build_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(alice: Any, bob: Any) -> Run:
    """A run of two Tier 2 answers, one of them marked and settled, and one verdict."""
    made = build_run({"B7": 2, "B12": 1}, confidences=[0.5], reviewers=1)
    made.verdicts.filter(response__case__benchmark="B7").delete()
    sampling.draw(made)
    made.review_items.filter(kind="validation").delete()
    found = assignments.next(bob)
    assert found
    submissions.submit(found.pk, bob, MARKS, comment="=HYPERLINK(1)")
    adjudication.settle(found.item_id, alice, MARKS | {"clarity": 1}, "Unreadable.")
    Score.objects.update(
        values={"grounding": 1.0, "key_fact_recall": None}, overall=-0.5, flags=["odd", "rare"]
    )
    Response.objects.filter(run=made, position=1).update(content="@SUM(1)\n第二行 “x”, y")
    return runs.get(made.pk)


def _text(run: Run, what: str, name: str) -> str:
    return b"".join(formats.export(run, what, name)).decode()


def _rows(run: Run, what: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(_text(run, what, "csv"), newline="")))


def test_it_writes_the_results_as_one_document(run: Run) -> None:
    assert json.loads(_text(run, "results", "json")) == json.loads(json.dumps(results.document(run)))


def test_it_writes_one_result_a_line(run: Run) -> None:
    found = [json.loads(line) for line in _text(run, "results", "jsonl").splitlines()]
    assert [one["metadata"]["test_id"] for one in found] == ["B7-001", "B7-002", "B12-003"]
    assert found[0].keys() >= {"test_case", "response", "metrics", "metadata"}
    assert found[0]["metrics"]["key_fact_recall"]["value"] is None


def test_it_writes_a_column_for_each_metric_and_nothing_for_what_is_unknown(run: Run) -> None:
    first = _rows(run, "results")[0]
    assert (first["grounding"], first["key_fact_recall"], first["flags"]) == ("1.0", "", "odd; rare")


def test_it_keeps_spreadsheets_from_running_what_a_model_or_a_person_wrote(run: Run) -> None:
    assert _rows(run, "results")[0]["response"] == "'@SUM(1)\n第二行 “x”, y"
    assert _rows(run, "results")[0]["overall_score"] == "-0.5"
    assert _rows(run, "marks")[0]["comment"] == "'=HYPERLINK(1)"


def test_it_writes_answers_that_can_be_read_as_a_recording(run: Run) -> None:
    Response.objects.filter(run=run).update(
        token_scores={"logprobs": [-0.5, -1.0], "top_logprobs": [[-0.5], [-1.0]], "vocabulary": 9}
    )
    found = recordings.read(_text(run, "answers", "jsonl").splitlines())
    for response in run.responses.select_related("case"):
        read = found[Place(response.case.key, response.sample, response.noise / 100)]
        assert read.content == response.content
        assert read.tokens
        assert (read.tokens.logprobs, read.tokens.vocabulary) == ([-0.5, -1.0], 9)


def test_it_writes_every_mark_and_what_was_settled(run: Run) -> None:
    found = _rows(run, "marks")
    given = {one["criterion"]: one["mark"] for one in found if one["source"] == "review"}
    settled = {one["criterion"]: one["mark"] for one in found if one["source"] == "adjudication"}
    assert given == {key: str(value) for key, value in MARKS.items()}
    assert settled["clarity"] == "1"
    assert (found[0]["person"], found[-1]["person"], found[-1]["reason"]) == ("bob", "alice", "Unreadable.")
    assert (found[0]["drawn_because"], found[0]["probability"]) == ("rubric", "1.0")


def test_it_writes_every_verdict(run: Run) -> None:
    (found,) = _rows(run, "verdicts")
    assert json.loads(found["marks"]) == MARKS
    assert (found["test_id"], found["confidence"], found["noise"]) == ("B12-003", "0.5", "0.0")
    (line,) = _text(run, "verdicts", "jsonl").splitlines()
    assert json.loads(line)["marks"] == MARKS


@pytest.mark.parametrize("what", tables.TABLES)
@pytest.mark.parametrize("name", ["json", "jsonl", "csv"])
def test_it_writes_a_run_in_which_nothing_has_happened(what: str, name: str) -> None:
    run = build_run({"B7": 1})
    run.responses.all().delete()
    text = _text(runs.get(run.pk), what, name)
    if name == "json":
        assert json.loads(text)[what] == []
    else:
        assert len(text.splitlines()) == (1 if name == "csv" else 0)


def test_it_has_a_column_for_every_field_and_a_field_for_every_column(run: Run) -> None:
    for what, make in tables.TABLES.items():
        names = {column.name for column in make(run).columns}
        found = {name for record in make(run).records for name in make(run).flat(record)}
        assert names <= found, what
        if what != "results":
            assert found <= names, what


def test_it_holds_a_few_rows_at_a_time(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "_ROWS_AT_ONCE", 1)
    pieces = formats.export(run, "results", "jsonl")
    assert next(pieces).count(b"\n") == 1
    peaks = {}
    for size in (1_000, 4_000):
        record = {"text": "x" * 1_000}
        table = tables.Table((tables.Column("text"),), (dict(record) for _ in range(size)), dict)
        tracemalloc.start()
        for _ in formats.FORMATS["csv"].pieces({}, "results", table):
            pass
        peaks[size] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peaks[4_000] < 2 * peaks[1_000]


def test_it_takes_what_was_written_since_the_last_time() -> None:
    sink = Sink()
    assert (sink.write(b"one"), sink.taken(), sink.taken(), sink.tell()) == (3, b"one", b"", 3)


@pytest.mark.parametrize(("what", "name"), [("secrets", "csv"), ("results", "xlsx"), ("results", "../csv")])
def test_it_refuses_what_it_does_not_know(
    run: Run, what: str, name: str, dan: Any, signed_in: Callable[[Any], Client]
) -> None:
    with pytest.raises(formats.UnknownExportError, match="there are: "):
        formats.export(run, what, name)
    page = signed_in(dan).get(f"/runs/{run.pk}/export/", {"what": what, "format": name})
    assert page.status_code == 422
    assert b"There is no export" in page.content


def test_it_lists_and_gives_the_files(run: Run, dan: Any, signed_in: Callable[[Any], Client]) -> None:
    client = signed_in(dan)
    page = client.get(f"/runs/{run.pk}/export/").content.decode()
    assert page.count("format=csv") == 4
    assert "A bundle can be made once the run has ended" in page
    file: Any = client.get(f"/runs/{run.pk}/export/?format=csv")
    assert file["Content-Disposition"] == f'attachment; filename="run-{run.pk}-results.csv"'
    assert b"".join(file).startswith(b"test_id,benchmark")


def test_it_shows_reviewers_only_what_is_final_and_never_who_marked(
    run: Run, bob: Any, signed_in: Callable[[Any], Client]
) -> None:
    client = signed_in(bob)
    assert client.get(f"/runs/{run.pk}/export/?format=csv").status_code == 403
    Run.objects.filter(pk=run.pk).update(state=Run.State.FINAL)
    assert client.get(f"/runs/{run.pk}/export/?format=csv").status_code == 200
    assert client.get(f"/runs/{run.pk}/export/?what=marks&format=csv").status_code == 403
    assert b"what=marks" not in client.get(f"/runs/{run.pk}/export/").content


def test_it_goes_by_a_command_too(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "marks.csv"
    call_command("export_run", run.pk, what="marks", name="csv", output=path, stderr=io.StringIO())
    assert path.read_bytes() == b"".join(formats.export(run, "marks", "csv"))
    assert list(tmp_path.iterdir()) == [path]
