"""Files of rows to checked rows, or every bad line."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from scoring import uploads
from scoring.suites import ccop as suite
from scoring.uploads import CheckedRow, LineProblem, Problems, Source
from tests.uploads.rows import ccop, lines

RGB = {"id": 0, "query": "Who won?", "answer": ["A"], "positive": ["A won."], "negative": ["B lost."]}
QUESTION = {"id": "q1", "question": "What is a watering hole attack?"}


def _read(*contents: bytes, name: str = "ccop", **options: Any) -> list[CheckedRow | LineProblem]:
    files = [Source(f"b{number}.jsonl", [content]) for number, content in enumerate(contents, 1)]
    return list(uploads.read(files, name, suite.BENCHMARKS, **options))


def _keys(found: list[CheckedRow | LineProblem]) -> list[str]:
    return [item.row.key for item in found if isinstance(item, CheckedRow)]


def test_it_gives_rows_with_their_place_and_a_hash_of_their_content() -> None:
    (found,) = _read(b"\n" + lines(ccop()))

    assert isinstance(found, CheckedRow)
    assert (found.file, found.line, found.row.key) == ("b1.jsonl", 2, "B3-001")
    assert found.row.fields == ccop()


def test_it_gives_the_same_hash_to_rows_that_mean_the_same() -> None:
    backwards = dict(reversed(ccop().items()))
    (one,), (other,) = _read(lines(ccop())), _read(lines(backwards))

    assert isinstance(one, CheckedRow)
    assert isinstance(other, CheckedRow)
    assert one.digest == other.digest


def test_it_names_every_problem_of_every_bad_line() -> None:
    bad = ccop("B3-002", question="Too short?", difficulty="Hard")
    found = _read(lines(ccop(), bad) + b"{oops}\n" + lines(ccop("B3-004")))

    assert _keys(found) == ["B3-001", "B3-004"]
    problems = [item for item in found if isinstance(item, LineProblem)]
    assert [(problem.line, problem.field) for problem in problems] == [
        (2, "question"),
        (2, "difficulty"),
        (3, ""),
    ]


def test_it_writes_a_problem_as_compilers_do() -> None:
    assert (
        str(LineProblem("b1.jsonl", 3, "question", "is too short.")) == "b1.jsonl:3: question: is too short."
    )
    assert str(LineProblem("b1.jsonl", None, "", "holds no rows.")) == "b1.jsonl: holds no rows."


def test_it_refuses_a_key_that_stands_twice_in_a_file() -> None:
    found = _read(lines(ccop(), ccop("B3-002"), ccop()))

    assert found[2] == LineProblem("b1.jsonl", 3, "test_id", "B3-001 stands already in line 1.")


def test_it_refuses_a_key_that_stands_in_another_file() -> None:
    found = _read(lines(ccop("B3-009"), ccop()), b"\n" + lines(ccop("B3-002")), lines(ccop()))

    assert found[3] == LineProblem("b3.jsonl", 1, "test_id", "B3-001 stands already in b1.jsonl, line 2.")


@pytest.mark.parametrize("content", [b"", b"\n", b" \r\n\t\n", b"\xef\xbb\xbf"])
def test_it_refuses_a_file_without_rows(content: bytes) -> None:
    assert _read(lines(ccop()), content)[1:] == [LineProblem("b2.jsonl", None, "", "holds no rows.")]


@pytest.mark.parametrize("content", [b'[{"a": 1}]\n', b'[\n  {"a": 1}\n]\n', b"[\r\n"])
def test_it_refuses_an_array_once_and_says_how_to_convert_it(content: bytes) -> None:
    (problem,) = _read(content)

    assert isinstance(problem, LineProblem)
    assert (problem.file, problem.line) == ("b1.jsonl", None)
    assert problem.reason.startswith("is a JSON array")
    assert problem.reason.endswith("jq -c '.[]' FILE")


@pytest.mark.parametrize("content", [b'{\n  "test_id": "B3-001"\n}\n', b'{"test_id": "B3-001",\n"a": 1}\n'])
def test_it_refuses_an_object_over_several_lines_once(content: bytes) -> None:
    (problem,) = _read(content)

    assert isinstance(problem, LineProblem)
    assert problem.line is None
    assert problem.reason.startswith("spreads an object over several lines")


def test_it_says_that_a_file_is_cut_off() -> None:
    found = _read(lines(ccop(), ccop("B3-002"))[:-40])

    reason = "is cut off: the file ends in the middle of this row."
    assert found[1:] == [LineProblem("b1.jsonl", 2, "", reason)]


def test_it_takes_a_last_line_without_an_end() -> None:
    assert _keys(_read(lines(ccop()).rstrip())) == ["B3-001"]


@pytest.mark.parametrize(("row", "other"), [(RGB, "rgb"), (QUESTION, "cybersec")])
def test_it_says_which_suite_a_row_is_of(row: dict[str, Any], other: str) -> None:
    assert _read(lines(row)) == [
        LineProblem("b1.jsonl", 1, "", f"looks like a row of the suite {other}, not of ccop.")
    ]


def test_it_says_that_a_row_of_ccop_is_none_of_rgb() -> None:
    assert _read(lines(ccop()), name="rgb") == [
        LineProblem("b1.jsonl", 1, "", "looks like a row of the suite ccop, not of rgb.")
    ]


def test_it_refuses_numbers_as_texts_and_texts_as_numbers() -> None:
    found = _read(lines(ccop(key_facts="3"), ccop(difficulty=2)))

    assert [item.field for item in found if isinstance(item, LineProblem)] == ["key_facts", "difficulty"]


def test_it_refuses_what_is_wider_than_its_column() -> None:
    found = _read(lines(ccop(section="5" * 201)))

    assert found == [LineProblem("b1.jsonl", 1, "section", "has more than 200 characters.")]


def test_it_stops_at_more_rows_than_an_upload_may_have() -> None:
    found = _read(lines(*(ccop(f"B3-{number:03}") for number in range(9))), most_rows=3)

    assert found[3:] == [LineProblem("b1.jsonl", 4, "", "is one too many: an upload may have 3 rows.")]


def test_it_keeps_the_first_problems_and_counts_all() -> None:
    problems = Problems(most=2)
    for number in range(5):
        problems.add(LineProblem("b1.jsonl", number, "", "is wrong."))

    assert ([problem.line for problem in problems.kept], problems.count) == ([0, 1], 5)


@pytest.mark.parametrize(("row", "name"), [(ccop(), "ccop"), (RGB, "rgb"), (QUESTION, "cybersec")])
def test_it_guesses_the_suite_from_the_rows(row: dict[str, Any], name: str) -> None:
    assert uploads.guess_suite(Source("a.jsonl", [b"not JSON\n" + lines(row)])) == name


def test_it_guesses_the_suite_of_rows_with_mistakes() -> None:
    assert uploads.guess_suite(Source("a.jsonl", [lines(ccop(difficulty="Hard"))])) == "ccop"


def test_it_cannot_guess_the_suite_of_a_file_without_rows() -> None:
    assert uploads.guess_suite(Source("a.jsonl", [b"[\n"])) is None


def test_it_holds_no_more_memory_for_a_large_file_than_for_a_small_one() -> None:
    """Rows of 100 KB: ten times the rows are 90 MB more, and leave no trace but their keys."""
    assert _peak(1_000) < _peak(100) + 2 * 1024 * 1024


def _peak(rows: int) -> int:
    tracemalloc.start()
    count = sum(1 for _ in uploads.read([Source("big.jsonl", _chunks(rows))], "ccop", suite.BENCHMARKS))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == rows
    return peak


def _chunks(rows: int) -> Iterator[bytes]:
    for number in range(rows):
        yield lines(ccop(f"B3-{number:03}", expected_response="word " * 20_000))
