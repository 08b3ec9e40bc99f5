"""A run whose answers people have marked goes in; it comes out final, scored once more with their marks.

A run is final when every item is complete or settled and the gate is met, or when an admin finalises it
anyway and says why. People's marks then rule; what the machine scored before stays beside it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Count, Q
from django.db.models.functions import Now

from evalportal.roles import Role
from reviews import agreement, events
from reviews.events import Verb
from reviews.items import ReviewError, RunClosedError
from reviews.models import Assignment, Event, ReviewItem
from scoring import runs, scorings
from scoring.models import Run

if TYPE_CHECKING:
    from evalportal.models import Person

State = ReviewItem.State


class NotReadyError(ReviewError):
    """The run's reviews are not complete, or its reviewers do not agree enough."""

    def __init__(self, standing: Standing) -> None:
        super().__init__(" ".join(standing.missing))
        self.standing = standing


class Standing(NamedTuple):
    """How far the reviews of a run are; nothing is missing when it can be final."""

    items: int
    open: int
    disputed: int
    complete: int
    settled: int
    gate: dict[str, Any] | None
    missing: tuple[str, ...]

    @property
    def ready(self) -> bool:
        return not self.missing


def standing(run: Run) -> Standing:
    """Say how far the reviews of a run are, and what is missing, in plain words."""
    counts = run.review_items.aggregate(
        all=Count("pk"), **{state: Count("pk", filter=Q(state=state)) for state in State.values}
    )
    gate = agreement.gate(run) if counts["all"] else None
    rounds = run.calibrations.filter(concluded_at=None).count()
    return Standing(
        counts["all"],
        counts["open"],
        counts["disputed"],
        counts["complete"],
        counts["settled"],
        gate,
        tuple(_missing(run, counts, gate, rounds)),
    )


def finish(run: Run, by: Person | None = None) -> None:
    """Make a run final whose reviews are complete and whose reviewers agree enough."""
    found = standing(run)
    if not found.ready:
        raise NotReadyError(found)
    _conclude(run, by, Verb.FINALISED, "", found)


def finish_anyway(run: Run, by: Person, why: str) -> None:
    """Make a run final as it stands; what nobody has marked stays pending."""
    if by.role != Role.ADMIN or not by.is_active:
        raise ReviewError("Only admins finalise a run whose reviews are not complete.")
    if not why.strip():
        raise ReviewError("Say why the run is finalised as it stands: the reason stands on record.")
    _conclude(run, by, Verb.FINALISED_ANYWAY, why.strip(), standing(run))


def finish_ready() -> list[int]:
    """Make every run final that can be, and say which."""
    finished = []
    drawn = Event.objects.filter(verb=Verb.DRAWN).values("run")
    for run in Run.objects.filter(state=Run.State.AWAITING_REVIEW, pk__in=drawn):
        unfinished = run.review_items.filter(state__in=(State.OPEN, State.DISPUTED))
        if not unfinished.exists() and standing(run).ready:
            with suppress(NotReadyError, RunClosedError):  # Something changed at this very moment.
                finish(run)
                finished.append(run.pk)
    return finished


def _missing(run: Run, counts: dict[str, int], gate: dict[str, Any] | None, rounds: int) -> list[str]:
    missing = []
    if not Event.objects.filter(run=run.pk, verb=Verb.DRAWN).exists():
        missing.append("The answers that people mark have not been drawn yet.")
    if counts["open"]:
        missing.append(f"{_answers(counts['open'])} still to be marked.")
    if counts["disputed"]:
        missing.append(f"{_answers(counts['disputed'])} disputed: settle them, or add a reviewer.")
    if rounds:
        missing.append("A calibration round has not been concluded.")
    if gate and gate["met"] is None:
        missing.append(f"Agreement cannot be measured: {gate['agreement']['reason']}")
    elif gate and not gate["met"]:
        found, wanted = gate["agreement"]["value"], gate["threshold"]
        missing.append(f"Reviewers agree on {found:.1%} of marks; {wanted:.0%} are asked for.")
    return missing


def _answers(count: int) -> str:
    return "1 answer is" if count == 1 else f"{count:,} answers are"


def _conclude(run: Run, by: Person | None, verb: Verb, why: str, found: Standing) -> None:
    with transaction.atomic():
        held = runs.hold(run.pk)
        if held.state != Run.State.AWAITING_REVIEW:
            raise RunClosedError(held.state)
        # Nobody marks, takes back or settles anything from here on; what they did meanwhile counts.
        states = set(held.review_items.select_for_update().order_by("pk").values_list("state", flat=True))
        if verb == Verb.FINALISED and states & {State.OPEN, State.DISPUTED}:
            raise NotReadyError(standing(held))
        changed = _apply_marks(held)
        _close(held)
        before = scorings.newest(held)
        after = runs.rescore(held)
        if before is not None:
            scorings.carry_over(before, after, changed)
        Run.objects.filter(pk=held.pk).update(reviewed_at=Now())
        outcome = {"missing": list(found.missing), "rescored": len(changed), "gate": _brief(found.gate)}
        events.record(verb, by, run=held, after=outcome, why=why)
    # Where no score changes, nothing is left to wait for.
    runs.advance(run.pk)
    run.refresh_from_db()


def _apply_marks(run: Run) -> list[int]:
    """Write what people marked or settled to the answers, and list those where that changes something."""
    with connection.cursor() as cursor:
        cursor.execute(_APPLY, [run.pk])
        return [row for (row,) in cursor.fetchall()]


def _close(run: Run) -> None:
    Assignment.objects.filter(item__run=run, state=Assignment.State.LEASED).update(
        state=Assignment.State.EXPIRED
    )
    run.review_items.filter(state__in=(State.OPEN, State.DISPUTED)).update(state=State.CLOSED)


def _brief(gate: dict[str, Any] | None) -> dict[str, Any] | None:
    names = ("measure", "threshold", "met", "agreement")
    return {name: gate[name] for name in names} if gate else None


# Of an answer with items of two kinds, the one that was drawn first rules.
_APPLY = """
WITH ruling AS (
    SELECT DISTINCT ON (i.response_id) i.response_id, coalesce(
        CASE WHEN i.state = 'settled' THEN (
            SELECT jsonb_build_array(a.marks) FROM reviews_adjudication AS a
            WHERE a.item_id = i.id ORDER BY a.id DESC LIMIT 1
        ) END,
        (SELECT jsonb_agg(given.marks ORDER BY given.id) FROM (
            SELECT r.id, jsonb_object_agg(m.criterion, m.value) AS marks
            FROM reviews_review AS r JOIN reviews_mark AS m ON m.review_id = r.id
            WHERE r.item_id = i.id AND r.is_current GROUP BY r.id
        ) AS given)
    ) AS marks
    FROM reviews_reviewitem AS i
    WHERE i.run_id = %s AND (i.calibration_id IS NULL OR i.state = 'settled')
    ORDER BY i.response_id, i.id
)
UPDATE scoring_response AS answer SET people_marks = ruling.marks
FROM ruling
WHERE answer.id = ruling.response_id AND ruling.marks IS NOT NULL AND answer.people_marks <> ruling.marks
RETURNING answer.id
"""
