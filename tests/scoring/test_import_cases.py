"""The command that imports cases."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from scoring.engine import locks
from scoring.models import Case, Dataset, Version
from tests.uploads.rows import ccop, lines

pytestmark = pytest.mark.django_db

RGB = {"id": 0, "query": "Who won?", "answer": ["A"], "positive": ["A won."], "negative": ["B lost."]}


class Terminal(io.StringIO):
    """A stream that somebody looks at."""

    def isatty(self) -> bool:
        return True


def _import(*arguments: Any, stderr: io.StringIO | None = None, **options: Any) -> str:
    words = io.StringIO()
    call_command(
        "import_cases", *map(str, arguments), stdout=words, stderr=stderr or io.StringIO(), **options
    )
    return words.getvalue().strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two benchmarks, and with files that are none."""
    folder = tmp_path / "My cases"
    folder.mkdir()
    (folder / "b3.jsonl").write_bytes(lines(ccop("B3-001"), ccop("B3-002")))
    (folder / "B4.JSONL").write_bytes(lines(ccop("B4-001")))
    (folder / "notes.jsonl").write_text("no case at all")
    (folder / "b5.txt").write_text("no case at all")
    return folder


def test_it_imports_the_benchmarks_of_a_folder(folder: Path) -> None:
    words = _import(folder)

    assert words == "3 cases imported as my-cases version 1 (3 added, 0 changed, 0 removed, 0 unchanged)."
    assert Dataset.objects.get().suite == "ccop"
    assert set(Case.objects.values_list("key", flat=True)) == {"B3-001", "B3-002", "B4-001"}


def test_it_imports_a_file_under_its_name(folder: Path) -> None:
    _import(folder / "b3.jsonl")

    assert Dataset.objects.get().name == "b3"


def test_it_imports_several_files_under_the_name_of_their_folder(folder: Path) -> None:
    _import(folder / "b3.jsonl", folder / "B4.JSONL")

    assert (Dataset.objects.get().name, Version.objects.get().case_count) == ("my-cases", 3)


def test_it_imports_under_a_given_name(folder: Path) -> None:
    _import(folder, dataset="own-name")

    assert Dataset.objects.get().name == "own-name"


def test_it_loads_the_files_of_rgb_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "en.json").write_bytes(lines(RGB, RGB | {"id": 1}))
    _import(tmp_path, dataset="rgb")

    assert (Dataset.objects.get().suite, Case.objects.count()) == ("rgb", 2)


@pytest.fixture
def rgb(tmp_path: Path) -> Path:
    """A folder as the authors of RGB publish it: every file numbers its rows from 0."""
    for name in ("en.json", "en_fact.json"):
        (tmp_path / name).write_bytes(lines(RGB, RGB | {"id": 1}))
    return tmp_path


def test_it_loads_the_files_of_rgb_together_each_as_a_dataset_of_its_own(rgb: Path) -> None:
    words = _import(rgb, "--each")

    assert words.splitlines() == [
        f"2 cases imported as {name} version 1 (2 added, 0 changed, 0 removed, 0 unchanged)."
        for name in ("en", "en_fact")
    ]
    assert set(Dataset.objects.values_list("name", "suite")) == {("en", "rgb"), ("en_fact", "rgb")}


def test_it_puts_the_name_it_is_given_before_that_of_each_file(rgb: Path) -> None:
    _import(rgb, "--each", dataset="rgb")

    assert set(Dataset.objects.values_list("name", flat=True)) == {"rgb-en", "rgb-en_fact"}


def test_it_says_what_to_do_with_files_that_number_their_rows_alike(rgb: Path) -> None:
    errors = io.StringIO()
    with pytest.raises(CommandError, match="2 problems found"):
        _import(rgb, dataset="rgb", stderr=errors)

    assert errors.getvalue().splitlines()[0] == (
        f"{rgb}/en_fact.json:1: id: 0 stands already in {rgb}/en.json, line 1. Import each file as a dataset "
        "of its own (import_cases --each), or give ids that differ."
    )


def test_it_imports_no_file_where_one_of_them_is_bad(rgb: Path) -> None:
    (rgb / "en_fact.json").write_bytes(lines(RGB, RGB))
    with pytest.raises(CommandError, match="1 problem found, nothing imported"):
        _import(rgb, "--each")

    assert not Dataset.objects.exists()


def test_it_makes_no_dataset_of_two_files_of_one_name(rgb: Path) -> None:
    (rgb / "deeper").mkdir()
    (rgb / "deeper" / "en.json").write_bytes(lines(RGB))

    with pytest.raises(CommandError, match="would both become en"):
        _import(rgb, rgb / "deeper", "--each")


def test_it_prints_every_problem_with_its_place_and_fails(folder: Path) -> None:
    (folder / "B4.JSONL").write_bytes(
        lines(ccop("B4-001"), ccop("B3-001"), ccop("B4-003", difficulty="Hard"))
    )
    errors = io.StringIO()

    with pytest.raises(CommandError, match="2 problems found, nothing imported"):
        _import(folder, stderr=errors)

    first, second = errors.getvalue().splitlines()
    assert (
        first == f"{folder}/B4.JSONL:3: difficulty: must be Low, Medium, High or Critical; 'Hard' is given."
    )
    assert second == f"{folder}/b3.jsonl:1: test_id: B3-001 stands already in {folder}/B4.JSONL, line 2."
    assert not Case.objects.exists()


def test_it_says_how_many_problems_it_does_not_print(tmp_path: Path) -> None:
    path = tmp_path / "b3.jsonl"
    path.write_bytes(b"{oops\n" * 1_005)
    errors = io.StringIO()

    with pytest.raises(CommandError, match="1,005 problems"):
        _import(path, suite="ccop", stderr=errors)

    assert errors.getvalue().splitlines()[-1] == "… and 5 more"


def test_it_checks_and_saves_nothing(folder: Path) -> None:
    words = _import(folder, "--check")

    assert words.startswith("3 cases checked for my-cases, nothing is wrong (3 added")
    assert not Dataset.objects.exists()


def test_it_says_that_nothing_is_new(folder: Path) -> None:
    _import(folder)

    assert _import(folder) == "my-cases version 1 holds exactly these 3 cases: nothing is new."


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.jsonl", None, "no such file or folder"),
        ("empty.jsonl", b"", "no row to see the suite from; say which with --suite"),
        ("folder", None, "no \\*.jsonl or \\*.json in this folder"),
    ],
)
def test_it_says_what_is_wrong_with_a_path(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    elif name == "folder":
        path.mkdir()

    with pytest.raises(CommandError, match=message):
        _import(path)


def test_it_refuses_a_folder_without_benchmarks_for_ccop(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_bytes(lines(ccop()))

    with pytest.raises(CommandError, match=r"no b\*.jsonl in this folder"):
        _import(tmp_path, suite="ccop")


def test_it_refuses_a_name_that_is_no_name(folder: Path) -> None:
    with pytest.raises(CommandError, match="lower-case letters, digits and dashes"):
        _import(folder, dataset="Not A Name")


def test_it_refuses_a_name_that_is_too_long(folder: Path) -> None:
    with pytest.raises(CommandError, match="has 81 characters, and a dataset's name at most 80"):
        _import(folder, dataset="x" * 81)


def test_it_says_that_a_database_is_not_set_up(folder: Path) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE django_migrations RENAME TO elsewhere")

    for command in ("import_cases", "export_cases"):
        with pytest.raises(CommandError, match=r"not set up for this portal yet: run `python manage\.py mig"):
            call_command(command, str(folder))


def test_it_refuses_a_dataset_of_another_suite(folder: Path, tmp_path: Path) -> None:
    _import(folder, dataset="first")
    (tmp_path / "en.json").write_text(json.dumps(RGB))

    with pytest.raises(CommandError, match="first holds cases of the suite ccop"):
        _import(tmp_path / "en.json", dataset="first")


def test_it_tells_a_person_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.management.commands.import_cases._SECONDS_BETWEEN_REPORTS", 0.0)
    (tmp_path / "b3.jsonl").write_bytes(lines(*(ccop(f"B3-{number:03}") for number in range(600))))
    terminal = Terminal()
    _import(tmp_path, dataset="first", stderr=terminal)

    assert "\r500 rows, " in terminal.getvalue()


@pytest.mark.django_db(transaction=True)
def test_it_says_that_it_waits_for_another_import(folder: Path) -> None:
    with locks.session("another import") as other:
        other.execute("SELECT pg_advisory_lock(hashtextextended('dataset b3', 0))")

        class Ending(io.StringIO):
            """Lets the other import end as soon as anything is said."""

            def write(self, text: str) -> int:
                other.execute("SELECT pg_advisory_unlock_all()")
                return super().write(text)

        stderr = Ending()
        _import(folder / "b3.jsonl", stderr=stderr)

    assert stderr.getvalue() == "Waiting for another upload of this dataset.\n"
    assert Case.objects.count() == 2
