"""A reviewer goes in; how much work waits for them comes out, and by e-mail too where that is on."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.mail import send_mail
from django.db import connection, transaction
from django.urls import reverse

from evalportal.roles import Role
from reviews.models import Notice

if TYPE_CHECKING:
    from evalportal.models import Person

# Counting stops here: a page says "1,000 or more", and takes no longer for 100,000.
MOST = 1_000

logger = logging.getLogger(__name__)


class Waiting(NamedTuple):
    """What waits for a reviewer: in hand, still free for them (up to MOST), skipped."""

    in_hand: int
    free: int
    skipped: int

    @property
    def more(self) -> bool:
        return self.free >= MOST


def waiting(person: Person) -> Waiting:
    """Count what waits for a reviewer."""
    with connection.cursor() as cursor:
        cursor.execute(_WAITING, {"person": person.pk, "most": MOST})
        row = cursor.fetchone()
    return Waiting(*row) if row else Waiting(0, 0, 0)


def send() -> int:
    """Write to every reviewer for whom new work waits, if notices are switched on, and say to how many.

    Nobody is written to twice about the same work: only about items that are newer than those of the last
    time, or when everything was done in between.
    """
    if not settings.REVIEW_NOTICES:
        return 0
    reviewers = get_user_model().objects.filter(role=Role.REVIEWER, is_active=True).exclude(email="")
    return sum(_told(person) for person in reviewers)


def _told(person: Person) -> bool:
    found = waiting(person)
    if not found.free:
        if not found.in_hand:
            Notice.objects.filter(person=person).delete()
        return False
    try:
        with transaction.atomic():  # What could not be sent was not told, and is tried again.
            return _is_news(person) and _write(person, found)
    except OSError as error:  # The mail server cannot be reached, or refuses.
        logger.warning("A notice could not be sent: %s", error, extra={"person": person.pk})
        return False


def _is_news(person: Person) -> bool:
    """Take note of the newest item that waits for someone; False if they were told of it before."""
    with connection.cursor() as cursor:
        cursor.execute(_TELL, {"person": person.pk})
        return bool(cursor.rowcount)


def _write(person: Person, found: Waiting) -> bool:
    count = "1 answer waits" if found.free == 1 else f"{found.free:,} answers wait"
    if found.more:
        count = f"{found.free:,} answers or more wait"
    where = f"{settings.PORTAL_URL}{reverse('reviews:queue')}" if settings.PORTAL_URL else "Open My queue."
    text = f"Dear {person.name},\n\n{count} to be marked.\n\n{where}\n"
    return bool(send_mail("Answers wait to be marked", text, None, [person.email]))


# What is free for a person, of items that await review.
_FREE = """
    i.state = 'open' AND i.taken < i.slots
    AND (i.assigned_to_id IS NULL OR i.assigned_to_id = %(person)s OR i.taken < i.slots - 1)
    AND NOT EXISTS (
        SELECT FROM reviews_assignment AS a
        WHERE a.item_id = i.id AND a.person_id = %(person)s AND a.state <> 'expired')
"""

_WAITING = f"""
SELECT
    (SELECT count(*) FROM reviews_assignment AS a JOIN reviews_reviewitem AS i ON i.id = a.item_id
    JOIN scoring_run AS run ON run.id = i.run_id
    WHERE a.person_id = %(person)s AND a.state = 'leased' AND i.state = 'open'
        AND run.state = 'awaiting_review'),
    (SELECT count(*) FROM (
        SELECT FROM scoring_run AS run
        LEFT JOIN reviews_place AS place ON place.run_id = run.id AND place.person_id = %(person)s
        CROSS JOIN LATERAL (
            SELECT FROM reviews_reviewitem AS i
            WHERE i.run_id = run.id AND (i.returned OR i.turn > coalesce(place.turn, 0)) AND {_FREE}
            LIMIT %(most)s
        ) AS free
        WHERE run.state = 'awaiting_review' LIMIT %(most)s
    ) AS counted),
    (SELECT count(*) FROM reviews_assignment AS a JOIN reviews_reviewitem AS i ON i.id = a.item_id
    JOIN scoring_run AS run ON run.id = i.run_id
    WHERE a.person_id = %(person)s AND a.state = 'skipped' AND i.state = 'open' AND i.taken < i.slots
        AND run.state = 'awaiting_review')
"""  # noqa: S608

_TELL = f"""
INSERT INTO reviews_notice AS told (person_id, newest, sent_at)
SELECT %(person)s, i.id, now() FROM reviews_reviewitem AS i
JOIN scoring_run AS run ON run.id = i.run_id AND run.state = 'awaiting_review'
WHERE {_FREE} ORDER BY i.id DESC LIMIT 1
ON CONFLICT (person_id) DO UPDATE SET newest = excluded.newest, sent_at = excluded.sent_at
WHERE told.newest < excluded.newest
"""  # noqa: S608
