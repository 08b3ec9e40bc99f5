"""Cases go in; the words by which they are found come out, where search looks."""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection

from scoring import search_words
from scoring.models import Dataset

AT_ONCE = 2_000  # so many cases take a second; an import of no more has its words at once

_PAIRED = 20_000  # so many characters of a text without spaces are found by their pairs

# Stems, with their places for phrases; the words as they are written, of which people type the beginning; the
# id as a whole; and of scripts that set no spaces between words every two neighbours, and the last alone.
_WRITE = """
INSERT INTO scoring_searchentry (case_id, words)
SELECT
    id,
    to_tsvector('english', written) || strip(to_tsvector('simple', written))
        || array_to_tsvector(ARRAY[lower(key)]) || pairs
FROM scoring_case
CROSS JOIN LATERAL (SELECT key || ' ' || question || ' ' || text AS written) AS joined
CROSS JOIN LATERAL (
    SELECT CASE WHEN written ~ %(unspaced)s THEN (
        SELECT array_to_tsvector(array_agg(DISTINCT CASE WHEN next ~ %(unspaced)s THEN c || next ELSE c END))
        FROM (
            SELECT c, lead(c) OVER (ORDER BY place) AS next
            FROM string_to_table(left(written, %(paired)s), NULL) WITH ORDINALITY AS parted (c, place)
        ) AS neighbours
        WHERE c ~ %(unspaced)s
    ) END AS found
) AS pairing
CROSS JOIN LATERAL (SELECT coalesce(found, '') AS pairs) AS paired
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
        wanted = {"after": after, "dataset": dataset.pk if dataset else None, "most": AT_ONCE}
        cursor.execute(_WRITE, {**wanted, "unspaced": search_words.UNSPACED, "paired": _PAIRED})
        return [number for (number,) in cursor.fetchall()]
