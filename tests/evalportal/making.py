"""Runs as people leave them: cases imported, answers given, verdicts passed, marks set and settled."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from threading import Event
from typing import Any

from reviews import adjudication, assignments, finishing, rubrics, sampling, validation
from scoring import cases, local, runs
from scoring.models import Endpoint, Run, Version
from scoring.uploads import Source
from tests.engine.making import echo, started
from tests.uploads.rows import ccop, lines

MARKS = {"accuracy": 4, "completeness": 3, "practicality": 4, "clarity": 5}
# It invents a clause, which is what the diagnosis has to find first.
REPLY = "Non-Compliant. Remote access needs approval, and clause 99.9.9 asks for =a retina scan."
CODES = {"B2": 3, "B7": 2, "B12": 2}


def dataset(rows: Sequence[Mapping[str, Any]], name: str = "made", suite: str = "ccop") -> Version:
    """Import rows as the next version of a dataset."""
    outcome = cases.add([Source("rows.jsonl", [lines(*rows)])], dataset=name, suite=suite)
    assert outcome.version, outcome.problems.kept
    return outcome.version


def ccop_rows(codes: Mapping[str, int] = CODES) -> list[dict[str, Any]]:
    """Make so many cases of each benchmark, of all difficulties."""
    return [
        ccop(
            f"{code}-{number:03}",
            difficulty=("Low", "Medium", "High", "Critical")[number % 4],
            expected_label="Non-Compliant" if code in {"B1", "B2"} else None,
            forbidden_claims=["quarterly penetration tests are required"],
        )
        for code, size in codes.items()
        for number in range(1, size + 1)
    ]


def judge() -> Endpoint:
    """Make a judge who is sure of the same marks every time."""
    verdict = json.dumps({**MARKS, "confidence": 0.9, "rationale": "Sound, but incomplete."})
    return echo(reply=verdict)


def driven(version: Version, reply: str | None = REPLY, **more: Any) -> Run:
    """Run a model that always says the same over a version, in this process."""
    asked = echo() if reply is None else echo(reply=reply)
    run = started(version, asked, **more)
    local.drive(run.pk, Event())
    return runs.get(run.pk)


def reviewed(alice: Any, bob: Any, carol: Any) -> Run:
    """Make a final run: machine, judge and people have had their say, and one answer was settled."""
    run = driven(dataset(ccop_rows()), judge=judge(), seed=7, created_by=alice)
    sampling.draw(run)
    for person, marks in ((bob, MARKS), (carol, MARKS)):
        _mark_all(person, marks)
    first = run.review_items.filter(kind="rubric").earliest("turn")
    adjudication.settle(first.pk, alice, MARKS | {"clarity": 2}, "Hard to follow.")
    finishing.finish(run, alice)
    local.drive(run.pk, Event())
    return runs.get(run.pk)


def _mark_all(person: Any, marks: dict[str, int]) -> None:
    while found := assignments.next(person):
        if found.item.kind == "validation":
            validation.submit(found.pk, person, marks)
            validation.decide(found.pk, person, "confirm")
        else:
            rubrics.submit(found.pk, person, marks, comment="As expected.", seconds=40)
