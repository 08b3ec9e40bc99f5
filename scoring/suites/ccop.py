"""CCoP 2.0: compliance reasoning.

Rows of the CCoP 2.0 baseline methodology, one JSON object a line: `test_id` (B7-001), `benchmark_type`,
`difficulty`, `question`, `expected_response`, `evaluation_criteria` and three to eight `key_facts`;
`expected_label` for B1 and B2; optional `forbidden_claims`, `section`, `clause_reference` and `metadata`
with its `domain`. The evaluation criteria may name `terms`, `expected_violations`, `expected_citations`,
`expected_classification` and `labels`. B1 to B21 are the methodology's; B22 to B99 are the users' own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.aggregation import weighted_mean
from scoring.ccop import benchmarks as codes
from scoring.ccop import checks, criteria
from scoring.ccop import weights as weighing
from scoring.language.text import without_reasoning
from scoring.measurement import Embed, Sample, TokenScores
from scoring.phases import reaches
from scoring.rows import Benchmark, Row, RowError

BENCHMARKS: Mapping[str, Benchmark] = codes.table()
WANTS_TOKEN_SCORES = False

_SAFETY = ("grounding", "hallucination_resistance")
_WAITS = {"rubric": "awaiting review", "judge_rubric": "awaiting judgement"}
_LONGEST_SEARCHED = 20_000
# It gives no advice on citing or hedging: whether a model does so by itself is what is measured.
_SYSTEM = (
    "You are an expert on Singapore's Cybersecurity Code of Practice for Critical Information Infrastructure,"
    " second edition (CCoP 2.0). Answer the question: state your conclusion first, then your reasoning."
)


def read(row: Mapping[str, Any], benchmarks: Mapping[str, Benchmark]) -> Row:
    """Check one row, or raise RowError with every problem in it."""
    if found := checks.problems(row, benchmarks):
        raise RowError(found)
    benchmark = benchmarks[codes.code(row["benchmark_type"])]
    number, _, serial = row["test_id"][1:].partition("-")
    return Row(
        key=row["test_id"],
        sort=f"B{int(number):02}-{serial}",
        benchmark=benchmark.code,
        category=benchmark.category,
        difficulty=checks.DIFFICULTIES[row["difficulty"].strip().lower()],
        domain=((row.get("metadata") or {}).get("domain") or "").strip().upper(),
        section=_text(row.get("section")),
        question=row["question"],
        text="\n".join((row["expected_response"], *row["key_facts"]))[:_LONGEST_SEARCHED],
        fields=row,
    )


def prompts(fields: Mapping[str, Any], *, noise: float = 0.0, seed: int = 0) -> list[dict[str, str]]:
    """Put the question, and the labels to choose from where the case lists them."""
    labels = criteria.strings(fields.get("evaluation_criteria") or {}, criteria.LABELS)
    choice = f"\n\nBegin your answer with one of: {', '.join(labels)}." if labels else ""
    return [
        {"role": "system", "content": _SYSTEM},
        {"role": "user", "content": f"{fields['question'].strip()}{choice}"},
    ]


def sample(
    fields: Mapping[str, Any],
    response: str,
    *,
    noise: float = 0.0,
    siblings: Sequence[str] = (),
    tokens: TokenScores | None = None,
    marks: Sequence[Mapping[str, float]] = (),
    embed: Embed | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Sample:
    """Join a case and a response, without the model's reasoning."""
    if not isinstance(response, str):
        raise TypeError(f"response: must be a text, not {type(response).__name__}.")
    return Sample(
        without_reasoning(response) if "<" in response else response,
        question=fields["question"],
        expected_response=fields["expected_response"],
        expected_label=fields.get("expected_label"),
        key_facts=fields["key_facts"],
        forbidden_claims=fields.get("forbidden_claims") or (),
        evaluation_criteria=fields.get("evaluation_criteria") or {},
        clause_reference=_text(fields.get("clause_reference")),
        benchmark=codes.code(fields["benchmark_type"]),
        siblings=siblings,
        tokens=tokens,
        marks=marks,
        embed=embed,
        settings=settings or {},
    )


def plan(fields: Mapping[str, Any], benchmark: Benchmark) -> Mapping[str, float]:
    """Say which metrics a case takes, with their weights."""
    return weighing.plan(fields, benchmark)


def overall(values: Mapping[str, float | None], weights: Mapping[str, float]) -> float | None:
    """Take the weighted mean of the defined values; None while people or the judge have yet to mark."""
    for metric in _WAITS:
        if metric in weights and values.get(metric) is None:
            return None
    return weighted_mean(values, weights)


def pending(values: Mapping[str, float | None], benchmark: Benchmark) -> str:
    """Say whose marks the case waits for."""
    accuracy = weighing.ACCURACY[benchmark.route]
    return _WAITS.get(accuracy, "") if values.get(accuracy) is None else ""


def flags(
    values: Mapping[str, float | None], weights: Mapping[str, float], threshold: float
) -> Sequence[str]:
    """Flag a case that passes only because it makes nothing up."""
    score = overall(values, weights)
    if score is None or not reaches(score, threshold):
        return ()
    rest = weighted_mean({name: value for name, value in values.items() if name not in _SAFETY}, weights)
    return ("Passes on grounding alone",) if rest is None or not reaches(rest, threshold) else ()


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()
