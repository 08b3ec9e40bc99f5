"""Runs as people leave them: cases imported, answers given, verdicts passed, marks set and settled."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from threading import Event
from typing import Any

from reviews import adjudication, assignments, finishing, sampling, submissions, validation
from scoring import cases, reports, runs
from scoring.engine import local
from scoring.models import Endpoint, Membership, Response, Run, Score, Scoring, Version
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
            section=str(number % 8 + 1),
            difficulty=("Low", "Medium", "High", "Critical")[number % 4],
            expected_label="Non-Compliant" if code in {"B1", "B2"} else None,
            forbidden_claims=["quarterly penetration tests are required"],
        )
        for code, size in codes.items()
        for number in range(1, size + 1)
    ]


def scored(overalls: Mapping[str, Sequence[float | None]], completeness: float | None = 0.4) -> Run:
    """Put a final run there with these overalls on each benchmark; None is an answer that waits."""
    version = dataset(ccop_rows({code: len(values) for code, values in overalls.items()}))
    run = Run.objects.create(name="scored", version=version, endpoint=echo(), state=Run.State.FINAL)
    scoring = Scoring.objects.create(run=run, number=1)
    wanted = [value for values in overalls.values() for value in values]
    members = version.memberships.order_by("position").select_related("case")
    for member, overall in zip(members, wanted, strict=True):
        _add_score(scoring, member, overall, completeness)
    run.summary = reports.summarise(run)
    run.save()
    return runs.get(run.pk)


def _add_score(
    scoring: Scoring, member: Membership, overall: float | None, completeness: float | None
) -> None:
    answer = Response.objects.create(
        run=scoring.run, case=member.case, position=member.position, state="done", content="An answer."
    )
    facts = [{"text": "Use is logged.", "covered": False}, {"text": "Approval.", "covered": True}]
    detail = {"evidence": {"statements": facts}, "weight": 0.8, "why": "", "spans": []}
    Score.objects.create(
        scoring=scoring,
        response=answer,
        overall=overall,
        pending="awaiting review" if overall is None else "",
        values={"key_fact_recall": completeness, "grounding": 1.0},
        details={"key_fact_recall": detail},
    )


def fabricate(run: Run, key: str, text: str, clause: str) -> None:
    """Let an answer invent a clause."""
    score = Score.objects.get(scoring__run=run, response__case__key=key)
    Response.objects.filter(pk=score.response_id).update(content=text)
    claims = [{"text": "Scans are required", "found": True}, {"text": "Another claim", "found": False}]
    start = text.index(clause)
    span = [start, start + len(clause), "bad", f"{clause}: fabricated"]
    detail = {"evidence": {"claims": claims, "fabricated": [clause]}, "why": "Made up.", "spans": [span]}
    score.fabricated, score.values = True, score.values | {"grounding": 0.0}
    score.details |= {"grounding": detail | {"weight": 1.0}}
    score.save()


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
            submissions.submit(found.pk, person, marks)
            validation.decide(found.pk, person, "confirm")
        else:
            submissions.submit(found.pk, person, marks, comment="As expected.", seconds=40)
