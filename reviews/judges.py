"""A run's verdicts and people's blind marks on them go in; how far to rely on the judge comes out."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from django.db import connection

from reviews.stats import calibration, judge_agreement, length_bias
from reviews.stats import panel as panels
from scoring.judging import Opinion
from scoring.metrics import rubric
from scoring.models import Run, Verdict
from scoring.verdicts import opinion


class Judged(NamedTuple):
    """One judged answer: its stratum, what the judge and, where they saw it, people made of it.

    `probability` is that of being seen by people; None for an answer that was not drawn. `judge` and
    `person` are scores from 0 to 1, None where there are no marks.
    """

    response: int
    benchmark: str
    stratum: str
    probability: float | None
    drawn: bool
    judge: float | None
    person: float | None
    confidence: float
    words: int
    judge_marks: Mapping[str, float]
    person_marks: Sequence[Mapping[str, int]]


def judged(run: Run) -> list[Judged]:
    """List every judged answer of a run with its stratum, verdict and blind marks.

    Answers that were not drawn have the stratum of the draw that passed them over: with `drawn`, `judge`,
    `person` and `probability` this is what the corrected mean is computed from.
    """
    opinions = _opinions(run)
    strata = _strata(run)
    with connection.cursor() as cursor:
        cursor.execute(_JUDGED, [run.pk])
        return [_judged(row, opinions, strata) for row in cursor.fetchall()]


def report(run: Run) -> dict[str, Any]:
    """Compare the judge with people on what was drawn and marked blind, as JSON can carry it.

    Marks of several votes are means; to be compared with people's they are rounded to whole marks. A verdict
    is right where all its marks are those of the person, which is what its confidence is about.
    """
    rows = judged(run)
    seen = [row for row in rows if row.drawn and row.person_marks and row.judge_marks]
    panel = _panel(seen)
    weights = [1 / (row.probability or 1.0) for row in seen]
    certain = calibration.measure(
        [row.confidence for row in seen], [_right(row) for row in seen], weights=weights, seed=run.seed
    )
    length = length_bias.measure(
        [row.words for row in seen], [_bias(row) for row in seen], weights=weights, seed=run.seed
    )
    return {
        "judged": sum(bool(row.judge_marks) for row in rows),
        "unreadable": sum(not row.judge_marks for row in rows),
        "drawn": sum(row.drawn for row in rows),
        "validated": len(seen),
        "waiting": sum(row.drawn and not row.person_marks for row in rows),
        "agreement": _plain(judge_agreement.measure(panel, seed=run.seed)),
        "by_criterion": {
            str(name): _plain(found)
            for name, found in judge_agreement.by_criterion(panel, seed=run.seed).items()
        },
        "brier": asdict(certain.brier),
        "ece": asdict(certain.ece),
        "bins": [one._asdict() | {"right": asdict(one.right)} for one in certain.bins],
        "length_bias": asdict(length),
    }


def _judged(
    row: Sequence[Any], opinions: Mapping[int, Opinion], strata: Mapping[int, tuple[str, float]]
) -> Judged:
    response, benchmark, words, stratum, probability, marks = row
    said, blind = opinions.get(response, Opinion()), json.loads(marks or "[]")
    if probability is None:
        stratum, share = strata.get(response, (stratum or "", None))
    else:
        share = probability
    return Judged(
        response=response,
        benchmark=benchmark,
        stratum=stratum,
        probability=share,
        drawn=probability is not None,
        judge=rubric.score([said.marks]),
        person=rubric.score(blind),
        confidence=said.confidence,
        words=words,
        judge_marks=said.marks,
        person_marks=blind,
    )


def _strata(run: Run) -> dict[int, tuple[str, float]]:
    """Give the stratum and the probability of every answer that could be drawn at random."""
    return {
        response: (draw.stratum, draw.drawn / len(draw.responses))
        for draw in run.draws.all()
        for response in draw.responses
    }


def _opinions(run: Run) -> dict[int, Opinion]:
    votes: dict[int, list[Verdict]] = {}
    fields = ("response_id", "vote", "state", "marks", "confidence", "raw", "error")
    for vote in run.verdicts.only(*fields).order_by("response", "vote").iterator(chunk_size=5000):
        votes.setdefault(vote.response_id, []).append(vote)
    return {response: opinion(cast) for response, cast in votes.items()}


def _panel(seen: Sequence[Judged]) -> panels.Panel:
    """Put the judge beside the people, an answer for each person who marked one."""
    marks: list[panels.Mark] = []
    weights: dict[Any, float] = {}
    for row in seen:
        for number, person in enumerate(row.person_marks):
            answer = (row.response, number)
            weights[answer] = 1 / (row.probability or 1.0) / len(row.person_marks)
            for key in row.judge_marks.keys() & person.keys():
                marks += [(answer, key, "judge", _whole(row.judge_marks[key]))]
                marks += [(answer, key, "people", person[key])]
    return panels.gather(
        sorted(marks, key=lambda mark: (mark[0], str(mark[1]), str(mark[2]))), weights=weights
    )


def _whole(mark: float) -> int:
    return math.floor(mark + 0.5)


def _right(row: Judged) -> bool:
    return all(
        _whole(row.judge_marks[key]) == value
        for person in row.person_marks
        for key, value in person.items()
        if key in row.judge_marks
    )


def _bias(row: Judged) -> float:
    """Give the judge's mean mark less people's."""
    return 4 * ((row.judge or 0.0) - (row.person or 0.0))


def _plain(found: judge_agreement.JudgeAgreement) -> dict[str, Any]:
    return {name: asdict(value) for name, value in found._asdict().items()}


_JUDGED = """
SELECT a.id, c.benchmark, coalesce(array_length(regexp_split_to_array(btrim(a.content), '\\s+'), 1), 0),
    i.stratum, i.probability, (
        SELECT jsonb_agg(given.marks ORDER BY given.id) FROM (
            SELECT r.id, jsonb_object_agg(m.criterion, m.value) AS marks
            FROM reviews_review AS r JOIN reviews_mark AS m ON m.review_id = r.id
            WHERE r.item_id = i.id AND r.blind GROUP BY r.id
        ) AS given
    )
FROM scoring_response AS a
JOIN scoring_case AS c ON c.id = a.case_id
LEFT JOIN reviews_reviewitem AS i ON i.response_id = a.id AND i.kind = 'validation'
WHERE a.run_id = %s AND a.state = 'done'
    AND (i.id IS NOT NULL OR EXISTS (SELECT FROM scoring_verdict AS v WHERE v.response_id = a.id))
ORDER BY a.position
"""
