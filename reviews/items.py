"""An item goes in; it comes out held, with who may mark it, or counted anew after something has changed.

The row of an item is the lock for all that belongs to it: whoever changes its assignments, reviews or state
holds it first. Nobody ever waits for an item while holding something that belongs to another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from evalportal.roles import Role
from reviews import prepared
from reviews.models import Assignment, ReviewItem
from scoring.models import Run

if TYPE_CHECKING:
    from evalportal.models import Person

State = ReviewItem.State


class ReviewError(Exception):
    """Something that reviews refuse; the message says why and what to do, in plain words."""


class GoneError(ReviewError):
    """The item, its run or both have been deleted."""

    def __init__(self) -> None:
        super().__init__("This answer is gone: its run was deleted. Go on with the next one.")


class NotAReviewerError(ReviewError):
    """Only active reviewers mark answers."""

    def __init__(self) -> None:
        super().__init__("Only reviewers mark answers. Ask an admin if you should be one.")


class NotYoursError(ReviewError):
    """The assignment is someone else's."""

    def __init__(self) -> None:
        super().__init__("This answer is in someone else's hands. Go on with the next one.")


class RunClosedError(ReviewError):
    """The run takes no marks: not yet, or not any more."""

    def __init__(self, state: str) -> None:
        label = Run.State(state).label.lower()
        super().__init__(f"This run takes no marks: it is {label}. What you typed is kept.")
        self.state = state


class AlreadySettledError(ReviewError):
    """The answer has been settled or closed."""

    def __init__(self) -> None:
        super().__init__("This answer has been settled meanwhile. What you typed is kept, but not counted.")


class Held(NamedTuple):
    """An item whose row is held, what one person has to do with it, and the keys of its criteria.

    `review` is the number of the row of their current marks, and `token` what the page sent with them.
    """

    item: ReviewItem
    assignment: Assignment
    criteria: tuple[str, ...]
    rubric_version: str
    review: int | None
    token: str


def hold(assignment_id: int, person: Person) -> Held:
    """Hold the item of someone's assignment until the transaction ends, or say why it cannot be marked."""
    check_reviewer(person)
    row = prepared.execute(_HOLD, {"assignment": assignment_id}).fetchone()
    # Read after the item is held: until then a run that is being finished seems to be open.
    own = prepared.execute(_OWN, {"assignment": assignment_id}).fetchone()
    if row is None or own is None:
        raise GoneError
    run_state, version, keys, review, token = own[:5]
    item, assignment = prepared.made(ReviewItem, row), prepared.made(Assignment, own[5:])
    if assignment.person_id != person.pk:
        raise NotYoursError
    if run_state != Run.State.AWAITING_REVIEW:
        raise RunClosedError(run_state)
    if item.state in {State.SETTLED, State.CLOSED}:
        raise AlreadySettledError
    return Held(item, assignment, tuple(keys), f"{item.kind} {version}", review, token or "")


def hold_item(item_id: int) -> ReviewItem:
    """Hold an item whose run awaits review, for those who do not mark it."""
    found = (
        ReviewItem.objects.select_for_update(of=("self",)).select_related("rubric").filter(pk=item_id).first()
    )
    if found is None:
        raise GoneError
    state = Run.objects.values_list("state", flat=True).get(pk=found.run_id)
    if state != Run.State.AWAITING_REVIEW:
        raise RunClosedError(state)
    return found


def check_reviewer(person: Person) -> None:
    """Refuse whoever does not mark answers."""
    if not person.is_active or person.role != Role.REVIEWER:
        raise NotAReviewerError


def reckon(ids: Sequence[int]) -> None:
    """Count anew what is taken and how far people are apart, and derive the state; the rows are held."""
    prepared.execute(_RECKON, {"items": list(ids)})


# The names of columns come from the models, nothing from outside.
_HOLD = f"""
SELECT {prepared.columns(ReviewItem, "i")} FROM reviews_reviewitem AS i
WHERE i.id = (SELECT a.item_id FROM reviews_assignment AS a WHERE a.id = %(assignment)s) FOR UPDATE
"""  # noqa: S608

_OWN = f"""
SELECT run.state, rubric.version,
    ARRAY(SELECT c.key FROM reviews_criterion AS c WHERE c.rubric_id = rubric.id ORDER BY c.position),
    r.id, r.token, {prepared.columns(Assignment, "a")}
FROM reviews_assignment AS a
JOIN reviews_reviewitem AS i ON i.id = a.item_id
JOIN reviews_rubric AS rubric ON rubric.id = i.rubric_id
JOIN scoring_run AS run ON run.id = i.run_id
LEFT JOIN reviews_review AS r ON r.item_id = a.item_id AND r.person_id = a.person_id AND r.is_current
WHERE a.id = %(assignment)s
"""  # noqa: S608

_RECKON = """
UPDATE reviews_reviewitem AS item SET
    taken = counted.taken,
    spread = counted.spread,
    returned = (item.returned OR counted.taken < item.taken) AND counted.taken < item.slots,
    state = CASE
        WHEN item.state IN ('settled', 'closed') THEN item.state
        WHEN counted.marked < item.slots THEN 'open'
        WHEN counted.spread >= rubric.dispute_spread THEN 'disputed'
        ELSE 'complete'
    END
FROM unnest(%(items)s::bigint[]) AS wanted(id)
CROSS JOIN LATERAL (
    SELECT
        count(*) FILTER (WHERE a.state IN ('leased', 'submitted')) AS taken,
        count(*) FILTER (WHERE a.state = 'submitted') AS marked,
        (
            SELECT max(apart) FROM (
                SELECT max(m.value) - min(m.value) AS apart
                FROM reviews_review AS r JOIN reviews_mark AS m ON m.review_id = r.id
                WHERE r.item_id = wanted.id AND r.is_current GROUP BY m.criterion
            ) AS criteria
        ) AS spread
    FROM reviews_assignment AS a WHERE a.item_id = wanted.id
) AS counted, reviews_rubric AS rubric
WHERE item.id = wanted.id AND rubric.id = item.rubric_id
"""
