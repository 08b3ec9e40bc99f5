"""Cases go in; the words by which they are found come out, where search looks."""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection

from scoring.models import Dataset

AT_ONCE = 2_000  # so many cases take a second; an import of no more has its words at once

_WRITE = """
INSERT INTO scoring_searchentry (case_id, words)
SELECT id, to_tsvector('english', key || ' ' || question || ' ' || text) FROM scoring_case
WHERE id > %(after)s AND (%(dataset)s::bigint IS NULL OR dataset_id = %(dataset)s)
    AND NOT EXISTS (SELECT FROM scoring_searchentry WHERE case_id = scoring_case.id)
ORDER BY id LIMIT %(most)s
ON CONFLICT DO NOTHING RETURNING case_id
"""


def prepare(dataset: Dataset | None = None, progress: Callable[[int], None] = lambda cases: None) -> int:
    """Write the words of all cases that have none yet, a few at a time; say how many those were.

    It may be broken off and done again at any time, by several at once.
    """
    count, after = 0, 0
    while written := _write(after, dataset):
        count, after = count + len(written), max(written)
        progress(count)
    return count


def _write(after: int, dataset: Dataset | None) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(_WRITE, {"after": after, "dataset": dataset.pk if dataset else None, "most": AT_ONCE})
        return [number for (number,) in cursor.fetchall()]
