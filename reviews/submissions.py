"""Marks on an answer go in; a Review comes out, once, or an error that says why and keeps what was typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models.functions import Now
from psycopg.types.json import Jsonb

from reviews import drafts, events, items, prepared
from reviews.assignments import LEASE
from reviews.events import Verb
from reviews.items import GoneError, Held, NotYoursError, ReviewError
from reviews.models import Assignment, Review, Rubric
from scoring.judging import HIGHEST, LOWEST
from scoring.scores import storable

if TYPE_CHECKING:
    from evalportal.models import Person

State = Assignment.State


class WrongMarksError(ReviewError):
    """Marks that are missing, out of range, or for criteria that the rubric does not have."""

    def __init__(
        self, missing: Sequence[str], out_of_range: Mapping[str, Any], unknown: Sequence[str]
    ) -> None:
        self.missing, self.out_of_range, self.unknown = tuple(missing), dict(out_of_range), tuple(unknown)
        parts = [f"There is no mark for {', '.join(missing)}."] if missing else []
        parts += [
            f"The mark for {key} is {value!r}: give a whole number from {LOWEST} to {HIGHEST}."
            for key, value in out_of_range.items()
        ]
        parts += [f"This rubric has no criterion {', '.join(unknown)}."] if unknown else []
        super().__init__(" ".join(parts))


class LeaseExpiredError(ReviewError):
    """The lease ran out, and somebody else has taken the slot."""

    def __init__(self) -> None:
        super().__init__(
            "You had this answer for too long, and it went to another reviewer. What you typed is kept "
            "and comes back if there is room again."
        )


class AlreadyMarkedError(ReviewError):
    """The person has marked this answer already, perhaps in another tab."""

    def __init__(self, review: Review) -> None:
        super().__init__(
            "You have marked this answer already, perhaps in another tab. Those marks stand; take them back "
            "if you want to change them."
        )
        self.review = review


def submit(
    assignment_id: int,
    person: Person,
    marks: Mapping[str, Any],
    *,
    token: str = "",
    comment: str = "",
    flagged: bool = False,
    seconds: float | None = None,
) -> Review:
    """Keep someone's marks as a review; the same token again gives the same review again."""
    try:
        with transaction.atomic():
            held = items.hold(assignment_id, person)
            if done := _done_already(held, token):
                return done
            checked = check(marks, held.criteria)
            _check_lease(held)
            given = {"token": token[:64], "comment": storable(comment), "flagged": flagged}
            return _store(held, checked, given | {"seconds": drafts.plausible(seconds)})
    except (GoneError, NotYoursError):
        raise  # There is nothing of theirs to keep a draft with: the page still has what was typed.
    except ReviewError:
        drafts.save(assignment_id, person, marks, comment, flagged=flagged, seconds=seconds)
        raise


def check(marks: Mapping[str, Any], criteria: Sequence[str]) -> dict[str, int]:
    """Take whole marks from 1 to 5, one for each criterion and for nothing else."""
    given = {key: _whole(value) for key, value in marks.items() if value not in (None, "")}
    missing = [key for key in criteria if key not in given]
    out_of_range = {key: marks[key] for key, value in given.items() if key in criteria and value is None}
    unknown = [key for key in given if key not in criteria]
    if missing or out_of_range or unknown:
        raise WrongMarksError(missing, out_of_range, unknown)
    return {key: value for key in criteria if (value := given[key]) is not None}


def undo(assignment_id: int, person: Person) -> Assignment:
    """Take one's marks back while the run is open: they stay on record, and come back as a draft."""
    with transaction.atomic():
        held = items.hold(assignment_id, person)
        current = held.item.reviews.filter(person=person, is_current=True).first()
        if current is None:
            raise ReviewError("There are no marks of yours on this answer to take back.")
        marks = marks_of(current)
        Review.objects.filter(pk=current.pk).update(is_current=False)
        Assignment.objects.filter(pk=assignment_id).update(
            state=State.LEASED,
            leased_until=Now() + LEASE,
            draft={"marks": marks, "comment": current.comment, "flagged": current.flagged},
            draft_saved_at=Now(),
        )
        items.reckon([held.item.pk])
        before = {"review": current.number, "marks": marks, "decision": current.decision}
        events.record(
            Verb.TAKEN_BACK, person, item=held.item, before=before, rubric_version=held.rubric_version
        )
    return Assignment.objects.get(pk=assignment_id)


def marks_of(review: Review) -> dict[str, int]:
    """Give a review's marks by criterion."""
    return dict(review.marks.order_by("pk").values_list("criterion", "value"))


def _done_already(held: Held, token: str) -> Review | None:
    """Find the review that the same click made; refuse another one beside a current one."""
    if held.review is None:
        return None
    current = Review.objects.get(pk=held.review)
    if token and held.token == token:
        return current
    raise AlreadyMarkedError(current)


def _check_lease(held: Held) -> None:
    """Let marks in after the lease has run out too, as long as nobody else has the slot."""
    if held.assignment.state != State.LEASED and held.item.taken >= held.item.slots:
        raise LeaseExpiredError


def _store(held: Held, marks: Mapping[str, int], given: Mapping[str, Any]) -> Review:
    # A verdict is shown after marking, so an answer to be validated stays in hand until it is decided on.
    state = State.LEASED if held.item.kind == Rubric.Kind.VALIDATION else State.SUBMITTED
    blind = held.assignment.verdict_shown_at is None
    known: dict[str, Any] = {
        "item": held.item.pk,
        "run": held.item.run_id,
        "response": held.item.response_id,
        "assignment": held.assignment.pk,
        "person": held.assignment.person_id,
        **given,
        "blind": blind,
        "state": str(state),
        "lease": LEASE,
        "criteria": list(marks),
        "values": list(marks.values()),
        "verb": str(Verb.MARKED),
        "after": Jsonb({"marks": dict(marks), "blind": blind, "flagged": given["flagged"]}),
        "rubric": held.rubric_version,
    }
    (row,) = prepared.execute(_STORE, known).fetchall()
    items.reckon([held.item.pk])
    return prepared.made(Review, row)


def _whole(value: Any) -> int | None:
    """Read a mark as it comes from a form or from code; None if it is not a whole number from 1 to 5."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = int(value) if not isinstance(value, float) or value.is_integer() else 0
    except ValueError:
        return None
    return number if LOWEST <= number <= HIGHEST else None


# The review, its marks, the assignment and the event in one go; the names of columns come from the model.
_STORE = f"""
WITH review AS (
    INSERT INTO reviews_review (
        item_id, person_id, number, token, seconds, comment, flagged, blind, decision, reason, is_current,
        created_at
    )
    SELECT %(item)s, %(person)s, coalesce(max(number), 0) + 1, %(token)s, %(seconds)s::float8, %(comment)s,
        %(flagged)s, %(blind)s, '', '', true, now()
    FROM reviews_review WHERE item_id = %(item)s AND person_id = %(person)s
    RETURNING *
), marks AS (
    INSERT INTO reviews_mark (review_id, criterion, value)
    SELECT review.id, given.criterion, given.value
    FROM review, unnest(%(criteria)s::text[], %(values)s::smallint[]) AS given(criterion, value)
), assignment AS (
    UPDATE reviews_assignment SET state = %(state)s::text, leased_until = now() + %(lease)s, draft = '{{}}',
        verdict_shown_at = CASE WHEN %(state)s::text = 'leased' THEN coalesce(verdict_shown_at, now())
            ELSE verdict_shown_at END,
        active_seconds = coalesce(%(seconds)s::float8, active_seconds)
    WHERE id = %(assignment)s
), event AS (
    INSERT INTO reviews_event (
        at, who_id, verb, run, response, item, "after", why, rubric_version, judge_version
    )
    VALUES (now(), %(person)s, %(verb)s, %(run)s, %(response)s, %(item)s, %(after)s, '', %(rubric)s, '')
)
SELECT {prepared.columns(Review, "review")} FROM review
"""  # noqa: S608
