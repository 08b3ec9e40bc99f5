"""A run goes in; what people's marks say of it comes out: how much is validated, agreed and corrected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db import connection

from evalportal.stats import corrected_mean
from evalportal.stats.corrected_mean import Stratum
from reviews import agreement, judges
from reviews.events import Verb
from reviews.judges import Judged
from reviews.models import Event
from scoring.models import Run
from scoring.statistic import Statistic

_FINAL = (Verb.FINALISED, Verb.FINALISED_ANYWAY)
_GIVEN = (Verb.MARKED, Verb.CONFIRMED, Verb.OVERRIDDEN)
_NOT_DRAWN = "No verdict has been drawn for people yet."
_GATE_UNKNOWN = "Agreement on an earlier day is known only of runs that were final by then."


def figures(run: Run, until: datetime | None = None) -> dict[str, Any]:
    """Count what was to be marked and is, and give the gate and the corrected mean of Tier 3.

    With `until`, as it stood then: by the record of decisions, in which nothing is ever changed.
    """
    items, done, seen = _progress(run, until)
    return {
        "items": items,
        "done": done,
        "gate": _gate(run, until) if items else None,
        "tier3": _tier3(judges.judged(run), seen) if run.judge_id else None,
    }


def corrected(rows: Sequence[Judged]) -> Statistic:
    """Correct the judge's mean by what people made of the verdicts that were drawn."""
    known = drawable(rows)
    if not known and any(row.judge is not None for row in rows):
        return Statistic(None, reason=_NOT_DRAWN)
    return corrected_mean.measure(**_columns(known))


def bias(rows: Sequence[Judged]) -> Statistic:
    """Estimate how far the judge's mean lies above people's, from 0 to 1."""
    return corrected_mean.bias(**_columns(drawable(rows)))


def strata(rows: Sequence[Judged]) -> list[Stratum]:
    """Sort the verdicts into what they were drawn from."""
    return corrected_mean.gather(**_columns(drawable(rows)))


def drawable(rows: Sequence[Judged]) -> list[Judged]:
    """Keep the verdicts that people were, or could have been, drawn to see."""
    known = (row for row in rows if row.probability is not None)
    return [row for row in known if row.judge is not None or row.probability == 1.0]


def _columns(rows: Sequence[Judged]) -> dict[str, Any]:
    return {
        "judge": [row.judge for row in rows],
        "person": [row.person if row.drawn else None for row in rows],
        "probability": [row.probability for row in rows],
        "strata": [row.stratum for row in rows],
        "drawn": [row.drawn for row in rows],
    }


def _tier3(rows: Sequence[Judged], seen: frozenset[int] | None) -> dict[str, Any] | None:
    if seen is not None:
        rows = [row if row.response in seen else row._replace(person=None, person_marks=()) for row in rows]
    said = [row.judge for row in rows if row.judge is not None]
    if not rows:
        return None
    return {
        "corrected": asdict(corrected(rows)),
        "plain": sum(said) / len(said) if said else None,
        "judged": len(said),
        "drawn": sum(row.drawn for row in rows),
        "validated": sum(row.drawn and row.person is not None for row in rows),
    }


def _gate(run: Run, until: datetime | None) -> Mapping[str, Any] | None:
    if until is None:
        found = agreement.gate(run)
    else:
        ended = Event.objects.filter(run=run.pk, verb__in=_FINAL, at__lte=until).last()
        if ended is None:
            return {"met": None, "agreement": asdict(Statistic(None, reason=_GATE_UNKNOWN))}
        found = (ended.after or {}).get("gate")
    return found and {name: found[name] for name in ("met", "threshold", "measure", "agreement")}


def _progress(run: Run, until: datetime | None) -> tuple[int, int, frozenset[int] | None]:
    """Count the items and those that are done; until a moment, also list the answers marked by then."""
    if until is None:
        states = run.review_items.values_list("state", flat=True)
        return len(states), sum(state in {"complete", "settled"} for state in states), None
    with connection.cursor() as cursor:
        wanted: dict[str, Any] = {"run": run.pk, "until": until, "given": list(_GIVEN)}
        cursor.execute(_UNTIL, wanted | {"back": Verb.TAKEN_BACK, "settled": Verb.SETTLED})
        rows = cursor.fetchall()
    done = sum(settled or people >= slots for _, slots, people, settled in rows)
    return len(rows), done, frozenset(response for response, _, people, _ in rows if people)


# Of each person the last word on an answer counts: marks that were taken back are no marks.
_UNTIL = """
WITH said AS (
    SELECT DISTINCT ON (item, who_id) item, verb FROM reviews_event
    WHERE run = %(run)s AND at <= %(until)s AND (verb = ANY(%(given)s) OR verb = %(back)s)
    ORDER BY item, who_id, id DESC
), marked AS (
    SELECT item, count(*) AS people FROM said WHERE verb <> %(back)s GROUP BY item
), settled AS (
    SELECT DISTINCT item FROM reviews_event
    WHERE run = %(run)s AND at <= %(until)s AND verb = %(settled)s
)
SELECT i.response_id, i.slots, coalesce(marked.people, 0), settled.item IS NOT NULL
FROM reviews_reviewitem AS i
LEFT JOIN marked ON marked.item = i.id
LEFT JOIN settled ON settled.item = i.id
WHERE i.run_id = %(run)s AND i.created_at <= %(until)s
"""
