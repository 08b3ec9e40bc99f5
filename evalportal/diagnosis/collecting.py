"""The weakest benchmarks of a run go in; what to collect for fine-tuning next comes out, with examples."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db import connection

from evalportal.diagnosis.abilities import FULL_NOISE
from evalportal.diagnosis.weaknesses import Group, Grouping
from scoring.diagnosis_rules import Kind
from scoring.models import Response, Scoring
from scoring.rgb import abilities

_MOST, _EXAMPLES = 5, 3

_ADVICE: Mapping[Kind, str] = {
    "unsafe": "Questions on clauses and duties that do not exist, with answers that say so.",
    "verbosity": "Short answers that state the judgement first and leave out what was not asked.",
    "knowledge gap": "Questions on the facts that were missed, with answers that state and use them.",
    "unclear": "Answers of experts to questions like these: the scores do not say what is missing.",
    "sound": "Harder questions of the same kind, if it is to become better still.",
}

_ABILITIES: Mapping[str, str] = {
    abilities.NOISE: "Questions with the answer among documents on the same subject that do not hold it.",
    abilities.REJECTION: "Questions whose documents do not hold the answer, with answers that decline.",
    abilities.INTEGRATION: "Questions in several parts, each answered by another document, answered in full.",
    abilities.COUNTERFACTUAL: "Documents with a wrong fact, with answers that notice it and put it right.",
}


class Example(NamedTuple):
    """A case on which an answer did badly, and the key facts that it did not cover."""

    response: Response
    overall: float
    missing: list[str]


class Need(NamedTuple):
    """A benchmark to collect examples for: why, what kind of them, and on what it failed."""

    group: Group
    advice: list[str]
    examples: list[Example]


def needs(scoring: Scoring, benchmarks: Grouping) -> list[Need]:
    """List the weakest benchmarks, the weakest first, with the cases that were answered worst."""
    weakest = _weakest(benchmarks.groups)
    examples = _examples(scoring, [group.name for group in weakest])
    return [Need(group, _advice(group), examples.get(group.name, [])) for group in weakest]


def _weakest(groups: Sequence[Group]) -> list[Group]:
    scored = [group for group in groups if group.mean.value is not None]
    return sorted(scored, key=lambda group: (group.mean.value or 0.0, -group.answers))[:_MOST]


def _advice(group: Group) -> list[str]:
    ability = [_ABILITIES[group.name]] if group.name in _ABILITIES else []
    return ability or [_ADVICE[finding.kind] for finding in group.findings]


def _examples(scoring: Scoring, codes: Sequence[str]) -> dict[str, list[Example]]:
    with connection.cursor() as cursor:
        wanted: dict[str, Any] = {"scoring": scoring.pk, "codes": list(codes), "most": _EXAMPLES}
        cursor.execute(_WORST, wanted | FULL_NOISE)
        rows = cursor.fetchall()
    answers = Response.objects.select_related("case").defer("token_scores", "raw")
    known = answers.in_bulk([row[1] for row in rows])
    found: dict[str, list[Example]] = {}
    for code, response, overall, statements in rows:
        found.setdefault(code, []).append(Example(known[response], overall, _missing(statements)))
    return found


def _missing(statements: str | None) -> list[str]:
    return [one["text"] for one in json.loads(statements or "[]") if not one["covered"]]


_WORST = """
SELECT benchmark, id, overall, statements FROM (
    SELECT asked.benchmark, r.id, s.overall,
        s.details #>> '{key_fact_recall,evidence,statements}' AS statements,
        row_number() OVER (PARTITION BY asked.benchmark ORDER BY s.overall, r.position) AS place
    FROM scoring_score AS s
    JOIN scoring_response AS r ON r.id = s.response_id
    JOIN scoring_case AS c ON c.id = r.case_id
    CROSS JOIN LATERAL (
        SELECT CASE WHEN c.benchmark = %(noise)s AND r.noise >= 100 THEN %(rejection)s ELSE c.benchmark END
    ) AS asked(benchmark)
    WHERE s.scoring_id = %(scoring)s AND s.overall IS NOT NULL AND s.pending = ''
        AND asked.benchmark = ANY(%(codes)s)
) AS ranked
WHERE place <= %(most)s ORDER BY benchmark, place
"""
