"""Files of rows to the cases of a new version, or to nothing at all."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from scoring import cases
from scoring.cases import Outcome
from scoring.models import Case, CustomBenchmark, Dataset, Membership, Version
from scoring.uploads import Source
from tests.uploads.rows import ccop, lines

pytestmark = pytest.mark.django_db


def _add(*rows: dict[str, Any], dataset: str = "first", suite: str = "ccop", **options: Any) -> Outcome:
    return cases.add([Source("b3.jsonl", [lines(*rows)])], dataset=dataset, suite=suite, **options)


def _question(key: str, question: str = "What is a watering hole attack?") -> dict[str, Any]:
    return {"id": key, "question": question}


def test_it_saves_every_row_as_a_case_of_a_first_version(alice: Any) -> None:
    outcome = _add(ccop("B3-002"), ccop("B3-001", difficulty="high"), person=alice)

    assert outcome.version
    assert (outcome.rows, outcome.is_new, outcome.version.number, outcome.version.case_count) == (
        2,
        True,
        1,
        2,
    )
    assert outcome.version.created_by == alice
    first, second = Case.objects.of(outcome.version)
    assert (first.key, second.key, second.difficulty, second.domain) == ("B3-002", "B3-001", "High", "OT")
    assert first.fields == ccop("B3-002")


def test_it_counts_cases_by_benchmark_category_difficulty_and_domain() -> None:
    rows = [ccop("B10-001", metadata=None), ccop("B3-001", difficulty="High"), ccop("B3-002")]
    version = _add(*rows).version

    assert version
    assert [(name, list(counts.items())) for name, counts in version.summary.items()] == [
        ("benchmark", [("B3", 2), ("B10", 1)]),
        ("category", [("Compliance judgement", 2), ("Risk reasoning", 1)]),
        ("difficulty", [("Medium", 2), ("High", 1)]),
        ("domain", [("OT", 2), ("", 1)]),
    ]


def test_it_hashes_a_case_by_its_canonical_json() -> None:
    _add(ccop())

    canonical = json.dumps(ccop(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert Case.objects.get().digest == sha256(canonical.encode()).hexdigest()


def test_it_hashes_a_version_by_its_content_whatever_the_order() -> None:
    one = _add(ccop("B3-001"), ccop("B3-002"), suite="ccop").version
    other = _add(ccop("B3-002"), ccop("B3-001"), dataset="first").version

    content = b"".join(
        key.encode() + b"\0" + bytes.fromhex(digest)
        for key, digest in Case.objects.order_by("key").values_list("key", "digest")
    )
    assert one
    assert one.digest == sha256(content).hexdigest()
    assert other == one


def test_it_makes_no_version_when_nothing_is_new() -> None:
    first = _add(ccop("B3-001"), ccop("B3-002"))
    again = _add(ccop("B3-001"), ccop("B3-002"))

    assert (again.version, again.is_new) == (first.version, False)
    assert again.changes == {"added": 0, "changed": 0, "removed": 0, "unchanged": 2}
    assert Version.objects.count() == 1


def test_it_shares_unchanged_cases_between_versions() -> None:
    _add(ccop("B3-001"), ccop("B3-002"), ccop("B3-003"))
    outcome = _add(ccop("B3-001"), ccop("B3-002", difficulty="Low"), ccop("B3-004"))

    assert outcome.changes == {"added": 1, "changed": 1, "removed": 1, "unchanged": 1}
    assert outcome.version
    assert outcome.version.changes == outcome.changes
    assert outcome.version.number == 2
    assert Case.objects.count() == 5


def test_it_goes_back_to_an_older_content_without_copying_it() -> None:
    _add(ccop("B3-001"))
    _add(ccop("B3-001", difficulty="Low"))
    outcome = _add(ccop("B3-001"))

    assert outcome.version
    assert outcome.version.number == 3
    assert Case.objects.count() == 2


def test_it_saves_nothing_when_one_line_is_bad_and_names_all_that_are() -> None:
    rows = [ccop(f"B3-{number:03}") for number in range(300)]
    rows[150] = rows[250] = ccop("B3-999", question="Short?")
    outcome = _add(*rows)

    assert [(problem.line, problem.field) for problem in outcome.problems.kept] == [
        (151, "question"),
        (251, "question"),
    ]
    assert outcome.version is None
    assert not Case.objects.exists()
    assert not Dataset.objects.exists()


def test_it_leaves_the_versions_there_are_alone_when_a_line_is_bad() -> None:
    first = _add(ccop("B3-001"))
    _add(ccop("B3-001"), ccop("B3-002"), ccop("B3-003", difficulty=None))

    assert list(Version.objects.all()) == [first.version]
    assert Case.objects.count() == Membership.objects.count() == 1


def test_it_checks_without_saving() -> None:
    _add(ccop("B3-001"), ccop("B3-002"))
    outcome = _add(ccop("B3-001", difficulty="Low"), ccop("B3-003"), check_only=True)

    assert outcome.changes == {"added": 1, "changed": 1, "removed": 1, "unchanged": 0}
    assert outcome.version is None
    assert (Version.objects.count(), Case.objects.count()) == (1, 2)


def test_it_says_in_a_check_that_nothing_is_new() -> None:
    first = _add(ccop())

    assert _add(ccop(), check_only=True).version == first.version


def test_it_refuses_a_dataset_of_another_suite() -> None:
    _add(ccop())

    with pytest.raises(cases.OtherSuiteError, match="first holds cases of the suite ccop"):
        _add(_question("q1"), suite="cybersec")


def test_it_refuses_a_test_id_that_another_dataset_has() -> None:
    _add(ccop("B3-001"))
    outcome = _add(ccop("B3-001"), ccop("B3-002"), dataset="second")

    (problem,) = outcome.problems.kept
    assert str(problem) == (
        "b3.jsonl:1: test_id: B3-001 belongs to the dataset first: import into that, choose another id, or, "
        "if first is a mistake, let an admin retire it on its page, which sets its ids free."
    )
    assert not Dataset.objects.filter(name="second").exists()


def test_it_frees_a_test_id_that_the_other_dataset_no_longer_has() -> None:
    _add(ccop("B3-001"), ccop("B3-002"))
    _add(ccop("B3-002"))

    assert _add(ccop("B3-001"), dataset="second").is_new


def test_it_lets_other_suites_use_the_same_ids_in_each_dataset() -> None:
    _add(_question("q1"), dataset="one", suite="cybersec")

    assert _add(_question("q1"), dataset="two", suite="cybersec").is_new


def test_it_takes_a_registered_benchmark_and_refuses_one_that_is_not() -> None:
    assert _add(ccop("B22-001")).problems.kept[0].field == "benchmark_type"

    CustomBenchmark.objects.create(code="B22", name="Own", category="Our own", route="reasoning")
    version = _add(ccop("B22-001")).version

    assert version
    assert version.summary["category"] == {"Our own": 1}


def test_it_tells_how_many_rows_have_passed() -> None:
    told: list[int] = []
    _add(*(_question(f"q{number}") for number in range(1_200)), suite="cybersec", progress=told.append)

    assert told == [500, 1_000]


def test_it_gives_cases_numbers_of_the_sequence_beyond_the_first_block() -> None:
    _add(*(_question(f"q{number}") for number in range(250)), suite="cybersec")
    later = Case.objects.create(
        dataset=Dataset.objects.get(), suite="cybersec", key="x", sort="x", question="?", fields={}
    )

    assert Case.objects.count() == 251
    assert later.pk > max(Case.objects.exclude(pk=later.pk).values_list("pk", flat=True))


def test_it_takes_the_longest_question_and_text_that_search_can_hold() -> None:
    words = " ".join(f"{number:x}q{number * 7919 % 65536:x}" for number in range(40_000))
    row = ccop(question=words[:100_000], expected_response=words[100_000:200_000])

    assert _add(row).is_new
    assert _add(ccop(question=words[:100_001])).problems.kept[0].field == "question"


ODD = [
    "tab\there",
    "back\\slash",
    "\\N",
    "\\.",
    'quote"',
    "new\nline",
    "cr\r",
    "emoji 😀",
    "a\u2028b",
    "é",
    "e\u0301",
]


@pytest.mark.parametrize("text", ODD)
def test_it_keeps_every_character(text: str) -> None:
    row = ccop(expected_response=text, metadata={"domain": "IT", text: text})
    version = _add(row).version

    assert version
    assert Case.objects.get().fields == row
    assert [json.loads(line) for line in b"".join(cases.export(version)).splitlines()] == [row]


def test_it_gives_back_what_went_in_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "_EXPORTED_AT_ONCE", 2)
    rows = [ccop(f"B3-{number:03}", weight=number / 3, a=[1, None, True]) for number in (5, 1, 4, 2, 3)]
    version = _add(*rows).version

    assert version
    assert b"".join(cases.export(version)) == lines(*rows)


def test_it_finds_nothing_new_in_its_own_export() -> None:
    numbers = [0, -0.0, 1.0, 1e-7, 1e15, 123456.789, 2**53, 5e-324]
    version = _add(ccop("B3-001", numbers=numbers), ccop("B3-002", note="é\u2028\\")).version
    assert version

    again = cases.add([Source("again.jsonl", list(cases.export(version)))], dataset="first", suite="ccop")

    assert again.version == version


def test_it_lists_what_changed_by_key_with_the_words_that_differ() -> None:
    old = _add(ccop("B3-001"), ccop("B3-002"), ccop("B10-001"), ccop("B3-003")).version
    new = _add(ccop("B3-001"), ccop("B3-002", difficulty="High"), ccop("B10-001"), ccop("B7-001")).version
    assert old
    assert new

    page = cases.changes(old, new)

    assert [(change.kind, change.key) for change in page.rows] == [
        ("changed", "B3-002"),
        ("removed", "B3-003"),
        ("added", "B7-001"),
    ]
    (field,) = page.rows[0].fields
    assert (field.name, [tuple(piece) for piece in field.pieces]) == (
        "difficulty",
        [("removed", "Medium"), ("added", "High")],
    )
    assert page.after == ""


def test_it_lists_changes_page_by_page_in_the_order_people_expect() -> None:
    old = _add(ccop("B3-001")).version
    new = _add(*(ccop(key) for key in ("B10-001", "B3-001", "B3-002", "B4-001", "B11-001"))).version
    assert old
    assert new

    first = cases.changes(old, new, size=2)
    second = cases.changes(old, new, after=first.after, size=2)

    assert [change.key for change in (*first.rows, *second.rows)] == [
        "B3-002",
        "B4-001",
        "B10-001",
        "B11-001",
    ]
    assert (first.after, second.after) == ("B4-001", "")


def test_it_starts_over_after_a_key_that_is_nowhere() -> None:
    old, new = _add(ccop("B3-001")).version, _add(ccop("B3-002")).version
    assert old
    assert new

    assert len(cases.changes(old, new, after="nonsense").rows) == 2


@pytest.mark.parametrize("table", ["scoring_case", "scoring_membership", "scoring_version"])
def test_it_never_lets_a_version_be_deleted(table: str) -> None:
    _add(ccop())

    with pytest.raises(IntegrityError, match="what a version holds never changes"), transaction.atomic():
        connection.cursor().execute(f"DELETE FROM {table}")


@pytest.mark.parametrize(
    "change",
    [
        "scoring_case SET question = ''",
        "scoring_membership SET position = 9",
        "scoring_version SET digest = ''",
    ],
)
def test_it_never_lets_a_version_be_changed(change: str) -> None:
    _add(ccop())

    with pytest.raises(IntegrityError, match="what a version holds never changes"), transaction.atomic():
        connection.cursor().execute(f"UPDATE {change}")


def _together(*works: Any) -> list[Any]:
    """Do works in threads of their own, all at once, and give what they return or raise."""
    start, results = threading.Barrier(len(works)), dict[int, Any]()

    def run(number: int, work: Any) -> None:
        start.wait()
        try:
            results[number] = work()
        except Exception as error:  # noqa: BLE001 (the test looks at it)
            results[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=item) for item in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [results[number] for number in range(len(works))]


@pytest.mark.django_db(transaction=True)
def test_it_makes_one_version_of_the_same_rows_imported_at_once() -> None:
    rows = [ccop(f"B3-{number:03}") for number in range(300)]
    outcomes = _together(*[lambda: _add(*rows)] * 4)

    assert sorted(outcome.is_new for outcome in outcomes) == [False, False, False, True]
    assert (Version.objects.count(), Case.objects.count()) == (1, 300)


@pytest.mark.django_db(transaction=True)
def test_it_makes_versions_one_after_the_other_of_different_rows_imported_at_once() -> None:
    outcomes = _together(*(lambda n=n: _add(ccop("B3-001"), ccop(f"B3-{n:03}")) for n in range(2, 6)))

    assert sorted(outcome.version.number for outcome in outcomes) == [1, 2, 3, 4]
    assert Case.objects.filter(key="B3-001").count() == 1


@pytest.mark.django_db(transaction=True)
def test_it_gives_a_test_id_to_one_of_two_datasets_imported_at_once() -> None:
    outcomes = _together(*(lambda name=name: _add(ccop("B3-001"), dataset=name) for name in ("one", "two")))

    assert sorted(outcome.problems.count for outcome in outcomes) == [0, 1]
    assert Dataset.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_it_leaves_nothing_behind_when_the_files_break_off() -> None:
    def broken() -> Iterator[bytes]:
        yield lines(*(ccop(f"B3-{number:03}") for number in range(500)))
        raise OSError("The disk is gone.")

    with pytest.raises(OSError, match="The disk is gone"):
        cases.add([Source("b3.jsonl", broken())], dataset="first", suite="ccop")

    assert not Case.objects.exists()
    assert not Dataset.objects.exists()
    assert _add(ccop()).is_new
