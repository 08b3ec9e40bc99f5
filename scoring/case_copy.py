"""Checked rows go in, cases and memberships in the database come out, by COPY: both sides work at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.db import IntegrityError, connection
from psycopg.copy import QueuedLibpqWriter

from scoring.models import Case, Dataset, Version
from scoring.uploads import CheckedRow

_FIRST_BLOCK, _LARGEST_BLOCK = 100, 10_000
_LONGEST_SEARCHED = 100_000  # more words than that fit no search index

_CASES = """
COPY scoring_case (
    id, dataset_id, suite, key, sort, digest, benchmark, category, difficulty, domain, section,
    question, text, fields
) FROM STDIN
"""
# The sequence's name is looked up once, and not for every number.
_NUMBERS = """
WITH numbers AS MATERIALIZED (SELECT pg_get_serial_sequence('scoring_case', 'id')::regclass AS sequence)
SELECT nextval(sequence) FROM numbers, generate_series(1, %s)
"""
# It takes only cases that are there: the table has no constraint of its own that looks at each of them.
_MEMBERSHIPS = """
INSERT INTO scoring_membership (version_id, case_id, position, by_key, by_benchmark, by_difficulty)
SELECT
    %(version)s, scoring_case.id, place,
    row_number() OVER (ORDER BY sort, key),
    row_number() OVER (ORDER BY array_position(%(benchmarks)s, benchmark::text), place),
    row_number() OVER (ORDER BY array_position(%(difficulties)s, difficulty::text), place)
FROM unnest(%(cases)s::bigint[]) WITH ORDINALITY AS listed (number, place)
JOIN scoring_case ON scoring_case.id = number
"""


def save(rows: Iterable[CheckedRow], dataset: Dataset) -> Iterator[tuple[CheckedRow, int]]:
    """Save each row as a case, unless the dataset has that very case; give the number of the case with it."""
    stream, known, block = iter(rows), _numbers(dataset), _FIRST_BLOCK
    with connection.cursor() as wrapped:
        cursor = wrapped.cursor  # Django's own knows of no other writers.
        while True:
            numbers = _reserved(block)
            with cursor.copy(_CASES, writer=QueuedLibpqWriter(cursor)) as copy:
                for row in stream:
                    number = known.get(row.digest)
                    if number is None:
                        number = numbers.pop()
                        copy.write_row(_values(row, dataset, number))
                    yield row, number
                    if not numbers:
                        break
                else:
                    return
            block = min(block * 10, _LARGEST_BLOCK)


def save_memberships(version: Version, numbers: Iterable[int]) -> None:
    """Save which cases make up a version, in their order and in those that its summary lists them by."""
    benchmarks, difficulties = (list(version.summary[name]) for name in ("benchmark", "difficulty"))
    orders = {"benchmarks": benchmarks, "difficulties": difficulties}
    with connection.cursor() as cursor:
        cursor.execute(_MEMBERSHIPS, {"version": version.pk, "cases": list(numbers), **orders})
        if cursor.rowcount != version.case_count:
            raise IntegrityError(f"{version} has {cursor.rowcount} cases, not {version.case_count}.")


def _numbers(dataset: Dataset) -> dict[bytes, int]:
    """Find the numbers of the cases that a dataset has, by their digests."""
    found = Case.objects.filter(dataset=dataset).order_by().values_list("digest", "pk")
    return {bytes.fromhex(digest): pk for digest, pk in found.iterator(chunk_size=5_000)}


def _reserved(count: int) -> list[int]:
    """Take numbers from the sequence of cases, the lowest last."""
    with connection.cursor() as cursor:
        cursor.execute(_NUMBERS, [count])
        return [number for (number,) in reversed(cursor.fetchall())]


def _values(checked: CheckedRow, dataset: Dataset, number: int) -> tuple[object, ...]:
    row = checked.row
    return (
        number,
        dataset.pk,
        dataset.suite,
        row.key,
        row.sort,
        checked.digest.hex(),
        row.benchmark,
        row.category,
        row.difficulty,
        row.domain,
        row.section,
        row.question,
        row.text[:_LONGEST_SEARCHED],
        checked.text,
    )
