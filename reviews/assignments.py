"""A reviewer goes in; the next answer to mark comes out, theirs for a while, one slot of it.

Within a run everybody goes by the same order of turns, so that answers are complete soon. Between runs a
reviewer goes round, the run first that they have not seen for longest. A person's Place in a run is the turn
up to which nothing is left for them: looking begins there, so that it takes as long with 100,000 open items
as with 1,000. What comes back behind somebody's place is marked as returned, and looked at first.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from django.db import connection, transaction
from django.db.models import Model, QuerySet
from django.db.models.functions import Now

from reviews import events, items, prepared
from reviews.events import Verb
from reviews.items import GoneError, ReviewError
from reviews.models import Assignment, ReviewItem, Rubric
from scoring.models import Case, Response

if TYPE_CHECKING:
    from evalportal.models import Person

LEASE = timedelta(minutes=30)
# A class of PostgreSQL's advisory locks: one request for work at a time for each person.
_ASKING_FOR_WORK = 7310
_EXPIRE_AT_A_TIME = 500

State = Assignment.State


class NoSlotError(ReviewError):
    """Others have taken all slots of the item."""

    def __init__(self) -> None:
        super().__init__("Others are marking this answer already. Go on with the next one.")


def next(person: Person) -> Assignment | None:
    """Hand out what the person has in hand already, or the next item; None if nothing is left for them."""
    return _one(person, besides=None)


def peek(person: Person, besides: int) -> Assignment | None:
    """Hand out the item after the one in hand, so that the page can load it ahead; it counts as taken."""
    return _one(person, besides=besides)


def find(assignment_id: int, person: Person) -> Assignment | None:
    """Find what someone has, or had, in hand, with all that its page shows."""
    try:
        found = _loaded(assignment_id)
    except GoneError:
        return None
    return found if found.person_id == person.pk else None


def renew(assignment: Assignment) -> None:
    """Keep an item in hand for another while."""
    Assignment.objects.filter(pk=assignment.pk, state=State.LEASED).update(leased_until=Now() + LEASE)


def release(assignment_id: int, person: Person) -> None:
    """Give an item back unmarked; the draft stays for when the person gets it again."""
    _give_back(assignment_id, person, State.EXPIRED)


def skip(assignment_id: int, person: Person, why: str = "") -> None:
    """Pass over an item: it is not handed to the person again unless they take it up themselves."""
    held = _give_back(assignment_id, person, State.SKIPPED)
    events.record(Verb.SKIPPED, person, item=held.item, why=why, rubric_version=held.rubric_version)


def decline(assignment_id: int, person: Person, why: str) -> None:
    """Refuse an item for good, for instance because the person is not impartial."""
    if not why.strip():
        raise ReviewError("Say why you decline this answer: others read it when they look for a reviewer.")
    held = _give_back(assignment_id, person, State.DECLINED)
    events.record(Verb.DECLINED, person, item=held.item, why=why, rubric_version=held.rubric_version)


@transaction.atomic
def take_up(assignment_id: int, person: Person) -> Assignment:
    """Take an item in hand again that the person skipped or gave back, if there is still room."""
    held = items.hold(assignment_id, person)
    if held.assignment.state not in {State.SKIPPED, State.EXPIRED, State.LEASED}:
        raise ReviewError("Only what you skipped or gave back can be taken up again.")
    if held.assignment.state != State.LEASED and held.item.taken >= held.item.slots:
        raise NoSlotError
    Assignment.objects.filter(pk=assignment_id).update(state=State.LEASED, leased_until=Now() + LEASE)
    items.reckon([held.item.pk])
    return _loaded(assignment_id)


@transaction.atomic
def assign(item: ReviewItem, person: Person | None, by: Person) -> None:
    """Keep a slot of an item for someone, or for nobody in particular."""
    if person is not None:
        items.check_reviewer(person)
    held = items.hold_item(item.pk)
    if person is not None and held.taken >= held.slots:
        raise NoSlotError
    before = {"assigned_to": held.assigned_to_id}
    ReviewItem.objects.filter(pk=item.pk).update(assigned_to=person, returned=True)
    events.record(Verb.ASSIGNED, by, item=held, before=before, after={"assigned_to": person and person.pk})


def skipped(person: Person) -> QuerySet[Assignment]:
    """List what a person skipped and can still take up."""
    return Assignment.objects.filter(
        person=person, state=State.SKIPPED, item__state="open", item__run__state="awaiting_review"
    ).select_related("item__response__case")


def upcoming(person: Person, most: int = 8) -> list[ReviewItem]:
    """List what would be handed to someone next, in that order, if nobody else asked in between."""
    with connection.cursor() as cursor:
        cursor.execute(_UPCOMING, {"person": person.pk, "most": most})
        ids = _in_turn([row[:3] for row in cursor.fetchall()])[:most]
    found = ReviewItem.objects.select_related("response__case").in_bulk(ids)
    return [found[pk] for pk in ids]


@transaction.atomic
def expire() -> int:
    """Take back leases that have run out or whose holder no longer marks, and say how many.

    Marks that await only the decision on a verdict stand: they were given blind, and completely.
    """
    with connection.cursor() as cursor:
        cursor.execute(_UNRESERVE)
        cursor.execute(_LAPSED, [_EXPIRE_AT_A_TIME])
        ids = sorted(row for (row,) in cursor.fetchall())
        if not ids:
            return 0
        cursor.execute(_EXPIRE, [ids])
        count = int(cursor.rowcount)
    items.reckon(ids)
    return count


def _one(person: Person, besides: int | None) -> Assignment | None:
    items.check_reviewer(person)
    found = _lease(person, besides)
    # Only where nothing is left is it worth looking for leases that nobody has taken back yet.
    if found is None and expire():
        found = _lease(person, besides)
    return None if found is None else _loaded(found)


def _in_turn(rows: Sequence[tuple[int, int, int]]) -> list[int]:
    """Put (part, run, item) in the order of handing out: a run that was served goes to the end."""
    runs, left = (
        list(dict.fromkeys(run for part, run, _ in rows if part == 0)),
        [row for row in rows if row[0]],
    )
    turns = []
    while left:
        part = left[0][0]
        # What someone began or has kept for them comes as it is; of the rest, the run that waits longest.
        of_part = [row for row in left if row[0] == part]
        chosen = of_part[0] if part < 3 else min(of_part, key=lambda row: runs.index(row[1]))
        left.remove(chosen)
        turns.append(chosen[2])
        runs.append(runs.pop(runs.index(chosen[1])))
    return turns


@transaction.atomic
def _lease(person: Person, besides: int | None) -> int | None:
    known: dict[str, Any] = {
        "person": person.pk,
        "besides": besides,
        "lease": LEASE,
        "lock": _ASKING_FOR_WORK,
    }
    # Two tabs of one person ask one after the other; the second then sees what the first was given.
    prepared.execute("SELECT pg_advisory_xact_lock(%(lock)s::int, %(person)s::int)", known)
    for statement in (_IN_HAND, _NEXT):
        if row := prepared.execute(statement, known).fetchone():
            return int(row[0])
    return None


def _loaded(assignment_id: int) -> Assignment:
    """Read an assignment with all that its page shows, and without what it must not show."""
    row = prepared.execute(_LOADED, {"assignment": assignment_id}).fetchone()
    if row is None:
        raise GoneError
    assignment, item, rubric, response, case = (
        prepared.made(model, row[at : at + size], without) for model, at, size, without in _PARTS
    )
    response.case, item.rubric, item.response, assignment.item = case, rubric, response, item
    return cast(Assignment, assignment)


@transaction.atomic
def _give_back(assignment_id: int, person: Person, state: str) -> items.Held:
    held = items.hold(assignment_id, person)
    if held.assignment.state != State.LEASED:
        raise ReviewError("This answer is no longer in your hands.")
    if held.item.reviews.filter(person=person, is_current=True).exists():
        raise ReviewError("You have marked this answer already. Take your marks back first.")
    Assignment.objects.filter(pk=assignment_id).update(state=state)
    if held.item.assigned_to_id == person.pk:
        ReviewItem.objects.filter(pk=held.item.pk).update(assigned_to=cast(Any, None))
    items.reckon([held.item.pk])
    return held


# What a page is made of, and what it has no use for.
_SHOWN: tuple[tuple[str, type[Model], tuple[str, ...]], ...] = (
    ("a", Assignment, ()),
    ("i", ReviewItem, ()),
    ("rubric", Rubric, ()),
    ("r", Response, ("raw", "token_scores")),
    ("c", Case, ("text",)),
)
_SIZES = [len(model._meta.concrete_fields) - len(without) for _, model, without in _SHOWN]
_PARTS: list[tuple[Any, int, int, tuple[str, ...]]] = [
    (model, sum(_SIZES[:at]), _SIZES[at], without) for at, (_, model, without) in enumerate(_SHOWN)
]
# The names of columns come from the models, nothing from outside.
_LOADED = f"""
SELECT {", ".join(prepared.columns(model, alias, without) for alias, model, without in _SHOWN)}
FROM reviews_assignment AS a
JOIN reviews_reviewitem AS i ON i.id = a.item_id
JOIN reviews_rubric AS rubric ON rubric.id = i.rubric_id
JOIN scoring_response AS r ON r.id = i.response_id
JOIN scoring_case AS c ON c.id = r.case_id
WHERE a.id = %(assignment)s
"""  # noqa: S608

_IN_HAND = """
UPDATE reviews_assignment SET leased_until = now() + %(lease)s
WHERE id = (
    SELECT a.id FROM reviews_assignment AS a
    JOIN reviews_reviewitem AS i ON i.id = a.item_id
    JOIN scoring_run AS run ON run.id = i.run_id
    WHERE a.person_id = %(person)s AND a.state = 'leased' AND a.id IS DISTINCT FROM %(besides)s::bigint
        AND i.state = 'open' AND run.state = 'awaiting_review'
    ORDER BY a.id LIMIT 1
) AND state = 'leased'
RETURNING id
"""

# An item with room for the person, who has had nothing to do with it; one slot may be kept for somebody else.
_FREE = """
i.state = 'open' AND i.taken < i.slots AND (i.assigned_to_id IS NULL OR i.taken < i.slots - 1)
AND NOT EXISTS (SELECT FROM reviews_assignment AS a WHERE a.item_id = i.id AND a.person_id = %(person)s)
"""

# In this order: what the person began and lost, what is kept for them, what others gave back, and then the
# next turn of the run that they have not seen for longest. Each part is looked at only if those before it
# give nothing, and locks at most one row.
_NEXT = f"""
WITH runs AS MATERIALIZED (
    SELECT run.id, coalesce(place.turn, 0) AS turn
    FROM scoring_run AS run
    LEFT JOIN reviews_place AS place ON place.run_id = run.id AND place.person_id = %(person)s
    WHERE run.state = 'awaiting_review'
    ORDER BY place.served_at NULLS FIRST, run.id
), picked AS MATERIALIZED (
    SELECT id, run_id, turn, onwards FROM (
        SELECT began.*, false AS onwards FROM (
            SELECT i.id, i.run_id, i.turn FROM reviews_assignment AS a
            JOIN reviews_reviewitem AS i ON i.id = a.item_id JOIN runs ON runs.id = i.run_id
            WHERE a.person_id = %(person)s AND a.state = 'expired' AND i.state = 'open' AND i.taken < i.slots
            ORDER BY a.id LIMIT 1 FOR UPDATE OF i SKIP LOCKED
        ) AS began
        UNION ALL
        SELECT kept.*, false FROM (
            SELECT i.id, i.run_id, i.turn FROM reviews_reviewitem AS i JOIN runs ON runs.id = i.run_id
            WHERE i.assigned_to_id = %(person)s AND i.state = 'open' AND i.taken < i.slots AND NOT EXISTS (
                SELECT FROM reviews_assignment AS a WHERE a.item_id = i.id AND a.person_id = %(person)s)
            ORDER BY i.id LIMIT 1 FOR UPDATE OF i SKIP LOCKED
        ) AS kept
        UNION ALL
        (SELECT i.id, i.run_id, i.turn, false FROM runs CROSS JOIN LATERAL (
            SELECT i.id, i.run_id, i.turn FROM reviews_reviewitem AS i
            WHERE i.run_id = runs.id AND i.returned AND {_FREE}
            ORDER BY i.turn LIMIT 1 FOR UPDATE SKIP LOCKED
        ) AS i LIMIT 1)
        UNION ALL
        (SELECT i.id, i.run_id, i.turn, true FROM runs CROSS JOIN LATERAL (
            SELECT i.id, i.run_id, i.turn FROM reviews_reviewitem AS i
            WHERE i.run_id = runs.id AND i.turn > runs.turn AND {_FREE}
            ORDER BY i.turn LIMIT 1 FOR UPDATE SKIP LOCKED
        ) AS i LIMIT 1)
    ) AS choices LIMIT 1
), taken AS (
    UPDATE reviews_reviewitem AS i SET
        taken = i.taken + 1,
        returned = i.returned AND i.taken + 1 < i.slots,
        assigned_to_id = nullif(i.assigned_to_id, %(person)s)
    FROM picked WHERE i.id = picked.id
), placed AS (
    INSERT INTO reviews_place (person_id, run_id, turn, served_at)
    SELECT %(person)s, picked.run_id, runs.turn + CASE WHEN picked.onwards THEN (
        -- An item that somebody else holds for this moment was passed over: it may still have room for the
        -- person, so their place stays before it.
        SELECT CASE WHEN i.id = picked.id THEN i.turn ELSE i.turn - 1 END - runs.turn
        FROM reviews_reviewitem AS i
        WHERE i.run_id = picked.run_id AND i.turn > runs.turn AND {_FREE}
        ORDER BY i.turn LIMIT 1
    ) ELSE 0 END, clock_timestamp()
    FROM picked JOIN runs ON runs.id = picked.run_id
    ON CONFLICT (person_id, run_id) DO UPDATE SET turn = excluded.turn, served_at = excluded.served_at
)
INSERT INTO reviews_assignment (
    item_id, person_id, state, leased_until, first_seen_at, active_seconds, draft
)
SELECT picked.id, %(person)s, 'leased', now() + %(lease)s, now(), 0, '{{}}' FROM picked
ON CONFLICT (item_id, person_id) DO UPDATE SET state = 'leased', leased_until = excluded.leased_until
RETURNING id
"""  # noqa: S608

# As above, but for looking only: nothing is locked, and of every run as many as are asked for.
_UPCOMING = f"""
WITH runs AS MATERIALIZED (
    SELECT run.id, coalesce(place.turn, 0) AS turn,
        row_number() OVER (ORDER BY place.served_at NULLS FIRST, run.id) AS place
    FROM scoring_run AS run
    LEFT JOIN reviews_place AS place ON place.run_id = run.id AND place.person_id = %(person)s
    WHERE run.state = 'awaiting_review'
)
SELECT 0 AS part, id AS run, 0 AS item, place, 0 AS turn FROM runs
UNION ALL
SELECT 1, runs.id, i.id, a.id, 0 FROM reviews_assignment AS a
JOIN reviews_reviewitem AS i ON i.id = a.item_id JOIN runs ON runs.id = i.run_id
WHERE a.person_id = %(person)s AND a.state = 'expired' AND i.state = 'open' AND i.taken < i.slots
UNION ALL
SELECT 2, runs.id, i.id, i.id, 0 FROM reviews_reviewitem AS i JOIN runs ON runs.id = i.run_id
WHERE i.assigned_to_id = %(person)s AND i.state = 'open' AND i.taken < i.slots AND NOT EXISTS (
    SELECT FROM reviews_assignment AS a WHERE a.item_id = i.id AND a.person_id = %(person)s)
UNION ALL
SELECT 3, runs.id, i.id, 0, i.turn FROM runs CROSS JOIN LATERAL (
    SELECT i.id, i.turn FROM reviews_reviewitem AS i WHERE i.run_id = runs.id AND i.returned
        AND i.assigned_to_id IS DISTINCT FROM %(person)s AND {_FREE}
    ORDER BY i.turn LIMIT %(most)s
) AS i
UNION ALL
SELECT 4, runs.id, i.id, 0, i.turn FROM runs CROSS JOIN LATERAL (
    SELECT i.id, i.turn FROM reviews_reviewitem AS i
    WHERE i.run_id = runs.id AND i.turn > runs.turn AND NOT i.returned
        AND i.assigned_to_id IS DISTINCT FROM %(person)s AND {_FREE}
    ORDER BY i.turn LIMIT %(most)s
) AS i
ORDER BY part, place, turn
"""  # noqa: S608

_UNRESERVE = """
UPDATE reviews_reviewitem SET assigned_to_id = NULL, returned = true WHERE id IN (
    SELECT i.id FROM reviews_reviewitem AS i JOIN evalportal_person AS p ON p.id = i.assigned_to_id
    WHERE NOT p.is_active OR p.role <> 'reviewer' FOR UPDATE OF i SKIP LOCKED
)
"""

_LAPSED = """
SELECT i.id FROM reviews_reviewitem AS i
WHERE i.id IN (
    SELECT a.item_id FROM reviews_assignment AS a JOIN evalportal_person AS p ON p.id = a.person_id
    WHERE a.state = 'leased' AND (a.leased_until <= now() OR NOT p.is_active OR p.role <> 'reviewer')
    LIMIT %s
)
FOR UPDATE SKIP LOCKED
"""

_EXPIRE = """
UPDATE reviews_assignment AS a SET state = CASE WHEN EXISTS (
    SELECT FROM reviews_review AS r WHERE r.item_id = a.item_id AND r.person_id = a.person_id AND r.is_current
) THEN 'submitted' ELSE 'expired' END
FROM evalportal_person AS p
WHERE p.id = a.person_id AND a.item_id = ANY(%s) AND a.state = 'leased'
    AND (a.leased_until <= now() OR NOT p.is_active OR p.role <> 'reviewer')
"""
