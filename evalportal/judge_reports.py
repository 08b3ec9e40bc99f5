"""A run goes in; how its judge compares with people, and what that does to its mean, comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.core.cache import cache

from evalportal import validations
from reviews import events, judges
from reviews.judges import Judged
from scoring.models import Run
from scoring.statistic import Statistic

# Raise it when reports get other parts.
VERSION = 1
_KEPT_SECONDS = 24 * 3600


class JudgeReport(NamedTuple):
    """The judge against people; `criteria` has all of them together first."""

    rows: Sequence[Judged]
    people: Mapping[str, Any]
    criteria: Sequence[tuple[str, Mapping[str, Any]]]
    corrected: Statistic
    bias: Statistic
    plain: float | None


def report(run: Run) -> JudgeReport:
    """Hold a run's judge against people; kept until something is decided."""
    finished = run.finished_at.isoformat() if run.finished_at else ""
    name = f"judge:{VERSION}:{run.pk}:{finished}:{events.last(run)}"
    found: JudgeReport | None = cache.get(name)
    if found is None:
        found = _report(run)
        cache.set(name, found, timeout=_KEPT_SECONDS)
    return found


def _report(run: Run) -> JudgeReport:
    people, rows = judges.report(run), judges.judged(run)
    said = [row.judge for row in rows if row.judge is not None]
    return JudgeReport(
        rows=rows,
        people=people,
        criteria=[("all criteria", people["agreement"]), *people["by_criterion"].items()],
        corrected=validations.corrected(rows),
        bias=validations.bias(rows),
        plain=sum(said) / len(said) if said else None,
    )
