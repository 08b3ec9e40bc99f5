"""A reviewer goes in; how long an answer takes them comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import connection

if TYPE_CHECKING:
    from evalportal.models import Person

# People get quicker: what they did long ago says little of today.
LATEST = 200


def median_seconds(person: Person) -> float | None:
    """Take the median time of someone's latest reviews; None if none of them was timed."""
    with connection.cursor() as cursor:
        cursor.execute(_MEDIAN, {"person": person.pk, "latest": LATEST})
        row = cursor.fetchone()
    return row[0] if row else None


_MEDIAN = """
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FROM (
    SELECT seconds FROM reviews_review
    WHERE person_id = %(person)s AND is_current AND seconds IS NOT NULL
    ORDER BY id DESC LIMIT %(latest)s
) AS latest
"""
