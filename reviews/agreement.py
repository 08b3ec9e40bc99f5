"""A run's marks go in; how far its reviewers agree, where they do not, and what to do about it, come out.

The gate is held against the marks as they stand: an answer that was settled counts as agreed, because
whoever settled it has decided between the reviewers. Everything else is about the marks as they were given.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from django.contrib.auth import get_user_model

from reviews import events, panels
from reviews.models import AgreementReport, Mark, Place, ReviewItem, Rubric
from reviews.panels import Marks
from reviews.stats import bootstrap_interval, speed_flag
from reviews.stats import gate as gates
from reviews.stats.gate import Gate
from reviews.stats.panel import Panel
from scoring.models import Run
from scoring.statistic import Statistic

if TYPE_CHECKING:
    from evalportal.models import Person

# Raise it when the report gets other parts: what was kept by an older one is then made anew.
VERSION = 2
# Every pair has its values; only so many, those with most answers in common, have intervals too.
_PAIRS_WITH_INTERVALS = 45


class Difference(NamedTuple):
    """An answer on which two reviewers differ: how far at most, and both marks by criterion."""

    item: ReviewItem
    apart: int
    marks: dict[str, tuple[int, int]]


def report(run: Run) -> dict[str, Any]:
    """Report on the agreement of a run's reviewers, as JSON can carry it; kept until something is decided.

    `kinds` has for each kind of rubric the gate, the statistics overall, by criterion, benchmark and pair,
    and advice; `speed` and `days` are about reviewers, `names` says who they are.
    """
    state = f"{VERSION}:{events.last(run)}"
    kept = AgreementReport.objects.filter(run=run, state=state).first()
    if kept:
        return dict(kept.report)
    made = _report(run)
    AgreementReport.objects.update_or_create(run=run, defaults={"state": state, "report": made})
    return made


def gate(run: Run) -> dict[str, Any] | None:
    """Say whether reviewers agree enough: the Tier 2 gate, or that of another kind with several reviewers.

    None where no answer of the run is for several reviewers.
    """
    found = [kind["gate"] for kind in report(run)["kinds"].values() if kind["gate"]]
    return next((one for one in found if one["met"] is not True), found[0] if found else None)


def kept(person: Person) -> list[dict[str, Any]]:
    """Say how agreement stood, when it was last looked at, in the open runs that someone marks."""
    own = Place.objects.filter(person=person).values("run")
    reports = AgreementReport.objects.filter(run__state=Run.State.AWAITING_REVIEW, run__in=own)
    return [
        {"run": one.run_id, "at": one.created_at, "gate": kind["gate"]}
        for one in reports.order_by("run")
        for kind in one.report["kinds"].values()
        if kind["gate"] and kind["gate"]["agreement"]["value"] is not None
    ]


def differences(run: Run, one: int, other: int, *, criterion: str = "", most: int = 200) -> list[Difference]:
    """List the answers on which two people differ, those that are furthest apart first."""
    marks = Mark.objects.filter(
        review__item__run=run, review__is_current=True, review__item__calibration=None
    )
    if criterion:
        marks = marks.filter(criterion=criterion)
    both: list[dict[tuple[int, str], int]] = [
        {(item, key): value for item, key, value in _of(marks.filter(review__person=person))}
        for person in (one, other)
    ]
    found: dict[int, dict[str, tuple[int, int]]] = {}
    for (item, key), value in both[0].items():
        if (theirs := both[1].get((item, key), value)) != value:
            found.setdefault(item, {})[key] = (value, theirs)
    ranked = sorted(found, key=lambda item: (-_apart(found[item]), item))[:most]
    rows = ReviewItem.objects.select_related("response__case").in_bulk(ranked)
    return [Difference(rows[item], _apart(found[item]), found[item]) for item in ranked]


def _report(run: Run) -> dict[str, Any]:
    kinds = {kind: _of_kind(run, kind) for kind in _kinds(run)}
    took, words = panels.times(run)
    speed = [_speed(one) for one in speed_flag.measure(took, words=words)]
    days = [asdict(day) | {"day": day.day.isoformat()} for day in panels.by_day(run)]
    people = {one["reviewer"] for one in [*speed, *days]}
    people |= {person for kind in kinds.values() for person in kind["reviewers"]}
    names = {str(one.pk): one.name for one in get_user_model().objects.filter(pk__in=people)}
    return {"kinds": kinds, "speed": speed, "days": days, "names": names}


def _kinds(run: Run) -> list[str]:
    found = set(run.review_items.order_by().values_list("kind", flat=True).distinct())
    return [kind for kind in Rubric.Kind.values if kind in found]


def _of_kind(run: Run, kind: str) -> dict[str, Any]:
    marks = panels.load(run, kind)
    panel = marks.panel
    rubric = Rubric.objects.filter(items__run=run, items__kind=kind).latest("version")
    items = run.review_items.filter(kind=kind, calibration=None)
    several = items.filter(slots__gt=1).exists()
    checked = gates.check(
        panels.settled(run, panel), measure=rubric.measure, threshold=rubric.threshold, seed=run.seed
    )
    overall = _all(panel, run.seed)
    disputed = items.filter(state=ReviewItem.State.DISPUTED).count()
    return {
        "answers": items.count(),
        "marked": len(panel.answers),
        "in_common": panel.in_common(),
        "settled": items.filter(state=ReviewItem.State.SETTLED).count(),
        "disputed": disputed,
        "reviewers": list(panel.reviewers),
        "criteria": [str(key) for key in panel.criteria],
        "gate": _gate(checked, overall[rubric.measure], disputed) if several or kind == "rubric" else None,
        "overall": overall,
        "by_criterion": {str(key): _all(panel.of_criterion(key), run.seed) for key in panel.criteria},
        "by_benchmark": _by_benchmark(marks, run.seed),
        "by_pair": _by_pair(panel, run.seed),
    }


def _gate(checked: Gate, as_given: dict[str, Any], disputed: int) -> dict[str, Any]:
    return {
        "measure": checked.measure,
        "threshold": checked.threshold,
        "met": checked.met,
        "agreement": asdict(checked.agreement),
        "as_given": as_given,
        "criteria": [{"name": str(name), "value": value, "n": n} for name, value, n in checked.criteria],
        "pairs": [{"pair": pair, "value": value, "n": n} for pair, value, n in checked.pairs],
        "advice": _advice(checked, disputed),
    }


def _advice(checked: Gate, disputed: int) -> list[dict[str, Any]]:
    """Say what to do where the gate is not met: each entry has a kind, and what it is about."""
    if checked.met or checked.met is None:
        return []
    advice: list[dict[str, Any]] = []
    if checked.criteria:
        worst = checked.criteria[0]
        advice.append({"do": "calibrate", "criterion": str(worst.name), "value": worst.value, "n": worst.n})
    if checked.pairs:
        pair = checked.pairs[0]
        advice.append({"do": "compare", "pair": pair.name, "value": pair.value, "n": pair.n})
    if disputed:
        advice.append({"do": "adjudicate", "answers": disputed})
    return [*advice, {"do": "add a reviewer"}]


def _by_benchmark(marks: Marks, seed: int) -> dict[str, dict[str, Any]]:
    codes = sorted(set(marks.benchmarks.tolist()), key=lambda code: (len(code), code))
    return {code: _all(marks.of_benchmark(code), seed) for code in codes}


def _by_pair(panel: Panel, seed: int) -> list[dict[str, Any]]:
    pairs = [(pair, panel.of_reviewers(*pair)) for pair in panel.pairs()]
    common = sorted((own.in_common() for _, own in pairs), reverse=True)
    enough = common[min(_PAIRS_WITH_INTERVALS, len(common)) - 1] if common else 0
    rows = []
    for pair, own in pairs:
        measured = _all(own, seed) if own.in_common() >= enough else _values(own)
        rows.append({"pair": list(pair), "n": own.in_common(), **measured})
    return rows


def _all(panel: Panel, seed: int) -> dict[str, Any]:
    return {name: asdict(found) for name, found in gates.measure_all(panel, seed=seed).items()}


def _values(panel: Panel) -> dict[str, Any]:
    """Measure without intervals."""
    found = {}
    for name, quantity in gates.MEASURES.items():
        made = quantity(panel)
        with np.errstate(invalid="ignore"):
            value = bootstrap_interval.value(made)
        reason = made.undefined if value is None else "Intervals are given for the pairs with most in common."
        found[name] = asdict(Statistic(value, n=made.n, reason=reason))
    return found


def _speed(one: speed_flag.Speed) -> dict[str, Any]:
    return one._asdict() | {"seconds": asdict(one.seconds)}


def _of(marks: Any) -> Any:
    return marks.values_list("review__item_id", "criterion", "value").iterator(chunk_size=5000)


def _apart(marks: dict[str, tuple[int, int]]) -> int:
    return max(abs(one - other) for one, other in marks.values())
