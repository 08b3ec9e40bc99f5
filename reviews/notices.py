"""A reviewer goes in; how much work waits for them comes out, and by e-mail too where that is on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.mail import send_mail
from django.db import connection

from evalportal.roles import Role

if TYPE_CHECKING:
    from evalportal.models import Person

# Counting stops here: a page says "1,000 or more", and takes no longer for 100,000.
MOST = 1_000


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


def send(url: str) -> int:
    """Write to every reviewer for whom work waits, if notices are switched on, and say to how many."""
    if not getattr(settings, "REVIEW_NOTICES", False):
        return 0
    reviewers = get_user_model().objects.filter(role=Role.REVIEWER, is_active=True).exclude(email="")
    return sum(_send(person, url) for person in reviewers)


def _send(person: Person, url: str) -> int:
    found = waiting(person)
    if not found.in_hand + found.free:
        return 0
    count = f"{found.free:,}{' or more' if found.more else ''}"
    text = f"Dear {person.name},\n\n{count} answers wait to be marked.\n\n{url}\n"
    return send_mail("Answers wait to be marked", text, None, [person.email], fail_silently=True)


_WAITING = """
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
            WHERE i.run_id = run.id AND i.state = 'open' AND i.taken < i.slots
                AND (i.returned OR i.turn > coalesce(place.turn, 0))
                AND (i.assigned_to_id IS NULL OR i.assigned_to_id = %(person)s OR i.taken < i.slots - 1)
                AND NOT EXISTS (
                    SELECT FROM reviews_assignment AS a
                    WHERE a.item_id = i.id AND a.person_id = %(person)s AND a.state <> 'expired')
            LIMIT %(most)s
        ) AS free
        WHERE run.state = 'awaiting_review' LIMIT %(most)s
    ) AS counted),
    (SELECT count(*) FROM reviews_assignment AS a JOIN reviews_reviewitem AS i ON i.id = a.item_id
    JOIN scoring_run AS run ON run.id = i.run_id
    WHERE a.person_id = %(person)s AND a.state = 'skipped' AND i.state = 'open' AND i.taken < i.slots
        AND run.state = 'awaiting_review')
"""
