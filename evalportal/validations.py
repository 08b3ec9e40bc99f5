"""A run goes in; what people's marks say of it comes out: how much is validated, agreed and corrected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from evalportal import earlier_days
from evalportal.earlier_days import Standing
from evalportal.stats import corrected_mean
from evalportal.stats.corrected_mean import Stratum
from reviews import agreement, judges
from reviews.judges import Judged
from scoring.metrics import rubric
from scoring.models import Run
from scoring.statistic import Statistic

_NOT_DRAWN = "No verdict has been drawn for people yet."


def figures(run: Run, until: datetime | None = None) -> dict[str, Any]:
    """Count what was to be marked and is, and give the gate and the corrected mean of Tier 3.

    With `until`, as it stood then: by the record of decisions, in which nothing is ever changed.
    """
    if until is not None:
        return _earlier(run, earlier_days.stood(run, until))
    states = run.review_items.values_list("state", flat=True)
    return {
        "items": len(states),
        "done": sum(state in {"complete", "settled"} for state in states),
        "gate": _gate(agreement.gate(run)) if states else None,
        "tier3": _tier3(judges.judged(run)) if run.judge_id else None,
    }


def _earlier(run: Run, stood: Standing) -> dict[str, Any]:
    def marked(row: Judged) -> Judged:
        if not stood.drawn:
            return row._replace(drawn=False, probability=None, person=None, person_marks=())
        given = stood.blind.get(row.response, [])
        return row._replace(person=rubric.score(given), person_marks=given)

    return {
        "items": len(stood.items),
        "done": stood.done,
        "gate": _gate(stood.gate()),
        "tier3": _tier3([marked(row) for row in judges.judged(run)]) if run.judge_id else None,
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


def _tier3(rows: Sequence[Judged]) -> dict[str, Any] | None:
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


def _gate(found: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    return found and {name: found[name] for name in ("met", "threshold", "measure", "agreement")}
