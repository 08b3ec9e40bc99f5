"""RGB: retrieval-augmented generation.

Rows as the authors of RGB publish them, one JSON object a line: `id`, `query`, `answer` (text, or a list of
required answers in which an inner list holds interchangeable spellings), `positive` and `negative` documents.
Information integration nests `positive` by sub-question; counterfactual robustness adds `positive_wrong` and
`fakeanswer`. Optional: `ability`, `language` (en, zh), `difficulty`, `topic`. What a row does not say of its
ability and language is deduced from its shape and its letters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.language.text import without_reasoning
from scoring.measurement import Embed, Sample, TokenScores
from scoring.ordering import natural
from scoring.rgb import checks, documents, matching
from scoring.rgb.abilities import COUNTERFACTUAL, INTEGRATION, NOISE, REJECTION, ability, language
from scoring.rgb.prompts import messages
from scoring.rows import Benchmark, Row, RowError

BENCHMARKS: Mapping[str, Benchmark] = {
    code: Benchmark(code, code.replace("_", " ").capitalize(), "Retrieval-augmented generation", "automatic")
    for code in (NOISE, REJECTION, INTEGRATION, COUNTERFACTUAL)
}
WANTS_TOKEN_SCORES = False

# At full noise a question of noise robustness is one of rejection: exactly one of its two metrics is defined.
# Integrated answers are long enough to be put in other words: meaning is shown beside them, not counted.
WEIGHTS: Mapping[str, Mapping[str, float]] = {
    NOISE: {"answer_correctness": 1.0, "rejection": 1.0},
    REJECTION: {"rejection": 1.0},
    INTEGRATION: {"answer_correctness": 1.0, "semantic_equivalence": 0.0},
    COUNTERFACTUAL: {"error_correction": 1.0, "error_detection": 0.0},
}


def read(row: Mapping[str, Any], benchmarks: Mapping[str, Benchmark]) -> Row:
    """Check one row, or raise RowError with every problem in it."""
    if found := checks.problems(row):
        raise RowError(found)
    key, benchmark = str(row["id"]).strip(), BENCHMARKS[ability(row)]
    return Row(
        key=key,
        sort=natural(key)[:220],
        benchmark=benchmark.code,
        category=benchmark.category,
        difficulty=str(row.get("difficulty") or "").capitalize(),
        domain="",
        section=row.get("topic") or "",
        question=row["query"],
        text=_search_text(row),
        fields=row,
    )


def mixture(
    fields: Mapping[str, Any], *, noise: float = 0.0, seed: int = 0, count: int = documents.DOCUMENTS
) -> documents.Mixture:
    """Choose and shuffle the documents of a case's prompt, the same ones for the same seed."""
    tested, negative = ability(fields), fields["negative"]
    own_seed = f"{seed}/{fields['id']}"
    if tested == REJECTION:
        return documents.mix([], negative, noise=1.0, seed=own_seed, count=count)
    if tested == INTEGRATION:
        return documents.mix_parts(fields["positive"], negative, noise=noise, seed=own_seed, count=count)
    if tested == COUNTERFACTUAL:
        return documents.mix_wrong(
            fields["positive_wrong"], negative, noise=noise, seed=own_seed, count=count
        )
    return documents.mix(fields["positive"], negative, noise=noise, seed=own_seed, count=count)


def prompts(
    fields: Mapping[str, Any], *, noise: float = 0.0, seed: int = 0, count: int = documents.DOCUMENTS
) -> list[dict[str, str]]:
    """Put the case as chat messages: the instruction, then the documents and the question."""
    mixed = mixture(fields, noise=noise, seed=seed, count=count)
    return messages(fields["query"], [document.text for document in mixed.documents], language(fields))


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
    """Join a case and a response; at full noise a case of noise robustness becomes one of rejection."""
    tested = ability(fields)
    return Sample(
        without_reasoning(response),
        question=fields["query"],
        expected_response=_reference(fields),
        benchmark=REJECTION if tested == NOISE and noise >= 1.0 else tested,
        answers=fields.get("answer"),
        fake_answer=fields.get("fakeanswer"),
        language=language(fields),
        siblings=siblings,
        tokens=tokens,
        marks=marks,
        embed=embed,
        settings=settings or {},
    )


def plan(fields: Mapping[str, Any], benchmark: Benchmark) -> Mapping[str, float]:
    """Say which metrics a case takes, with their weights."""
    return WEIGHTS[benchmark.code]


def overall(values: Mapping[str, float | None], weights: Mapping[str, float]) -> float | None:
    """Take the weighted mean of the defined values; None when nothing that counts is defined."""
    counted = [
        (value, weights[name]) for name, value in values.items() if value is not None and weights.get(name)
    ]
    total = sum(weight for _, weight in counted)
    return sum(value * weight for value, weight in counted) / total if total else None


def pending(values: Mapping[str, float | None], benchmark: Benchmark) -> str:
    """Wait for nothing: every metric of RGB is computed at once."""
    return ""


def flags(
    values: Mapping[str, float | None], weights: Mapping[str, float], threshold: float
) -> Sequence[str]:
    """Flag a counterfactual case whose detection and correction disagree."""
    detected, corrected = values.get("error_detection"), values.get("error_correction")
    if detected == 1.0 and corrected == 0.0:
        return ("Noticed the error, but did not give the right answer.",)
    if detected == 0.0 and corrected == 1.0:
        return ("Gave the right answer without saying that the documents are wrong.",)
    return ()


def _reference(fields: Mapping[str, Any]) -> str:
    """Put the required answers, in the first spelling of each, as one readable text."""
    return "; ".join(spellings[0] for spellings in matching.required(fields.get("answer") or ()))


def _search_text(row: Mapping[str, Any]) -> str:
    answers = [*matching.required(row.get("answer") or ()), *matching.required(row.get("fakeanswer") or ())]
    return "\n".join(spelling for spellings in answers for spelling in spellings)
