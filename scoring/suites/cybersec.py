"""CyberSecLLM: questions and answers on cybersecurity.

Rows are JSON objects, one a line: `id`, `question`, and, if wanted, `reference_answer` (for people to
compare with; no metric reads it), `expected_length` in words (60 if not given), `topic`, `difficulty`
(Low, Medium, High or Critical) and `metadata`. Eleven metrics describe the language of an answer; the
combined score ranks it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.language.text import without_reasoning
from scoring.measurement import Embed, Sample, TokenScores
from scoring.metrics.length_deviation import DEFAULT_LENGTH
from scoring.ordering import DIFFICULTIES, natural
from scoring.rows import Benchmark, Problem, Row, RowError

BENCHMARKS: Mapping[str, Benchmark] = {
    "cybersecurity_answers": Benchmark(
        "cybersecurity_answers", "Cybersecurity answers", "Language quality", "automatic"
    )
}
# Perplexity, hallucination and with them the combined score are made of them.
WANTS_TOKEN_SCORES = True


# The combined score is the ranking number; the metrics it is made of, and the others, are shown beside it.
WEIGHTS: Mapping[str, float] = {
    "combined": 1.0,
    "coherence": 0.0,
    "hallucination": 0.0,
    "perplexity": 0.0,
    "repetition": 0.0,
    "prompt_copying": 0.0,
    "semantic_richness": 0.0,
    "invalid_tokens": 0.0,
    "self_bleu": 0.0,
    "length_deviation": 0.0,
    "kl_shift": 0.0,
    "answer_quality": 0.0,
}

SYSTEM_PROMPT = (
    "You are a cybersecurity expert. Answer the question accurately, clearly and in full sentences."
)

_LONGEST_ID, _LONGEST_TOPIC, _LONGEST_DOMAIN = 200, 200, 20


def read(row: Mapping[str, Any], benchmarks: Mapping[str, Benchmark]) -> Row:
    """Check one row, or raise RowError with every problem in it."""
    if problems := list(_problems(row)):
        raise RowError(problems)
    key, (benchmark,) = str(row["id"]).strip(), BENCHMARKS.values()
    return Row(
        key=key,
        sort=natural(key)[:220],
        benchmark=benchmark.code,
        category=benchmark.category,
        difficulty=(row.get("difficulty") or "").strip().capitalize(),
        domain=(row.get("metadata") or {}).get("domain") or "",
        section=(row.get("topic") or "").strip(),
        question=row["question"],
        text=row.get("reference_answer") or "",
        fields=row,
    )


def prompts(fields: Mapping[str, Any], *, noise: float = 0.0, seed: int = 0) -> list[dict[str, str]]:
    """Put the question as it stands, after one line of instruction."""
    return [
        {"role": "system", "content": SYSTEM_PROMPT},
        {"role": "user", "content": fields["question"]},
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
    """Join a case and a response; `siblings` are the other answers to the same question."""
    return Sample(
        without_reasoning(response),
        question=fields["question"],
        expected_response=fields.get("reference_answer") or "",
        benchmark=next(iter(BENCHMARKS)),
        expected_length=fields.get("expected_length") or DEFAULT_LENGTH,
        siblings=[without_reasoning(sibling) for sibling in siblings],
        tokens=tokens,
        marks=marks,
        embed=embed,
        settings=settings or {},
    )


def plan(fields: Mapping[str, Any], benchmark: Benchmark) -> Mapping[str, float]:
    """Take every metric; the combined score alone counts."""
    return WEIGHTS


def overall(values: Mapping[str, float | None], weights: Mapping[str, float]) -> float | None:
    """Rank by the combined score."""
    return values.get("combined")


def pending(values: Mapping[str, float | None], benchmark: Benchmark) -> str:
    """Wait for nothing: the judge's opinion is shown beside the score, and is no part of it."""
    return ""


def flags(
    values: Mapping[str, float | None], weights: Mapping[str, float], threshold: float
) -> Sequence[str]:
    """Flag an answer that cannot be ranked."""
    missing = [name for name in ("coherence", "hallucination", "perplexity") if values.get(name) is None]
    return (f"Not ranked: no {', no '.join(missing)}.",) if missing else ()


def _problems(row: Mapping[str, Any]) -> Iterator[Problem]:
    key, length = row.get("id"), row.get("expected_length")
    if isinstance(key, bool) or not isinstance(key, int | str):
        yield Problem("id", "is missing or no text: give a number or a text that is unique in the dataset.")
    elif not 0 < len(str(key).strip()) <= _LONGEST_ID:
        yield Problem("id", f"must have 1 to {_LONGEST_ID} characters.")
    if not _is_text(row.get("question")):
        yield Problem("question", f"is missing or empty: give the question as text.{_hint(row)}")
    if length is not None and not _is_length(length):
        yield Problem("expected_length", "must be a number of words above 0, or be left out for 60.")
    yield from _option_problems(row)


def _hint(row: Mapping[str, Any]) -> str:
    return " The row has a query instead: is it an RGB case?" if "query" in row else ""


def _option_problems(row: Mapping[str, Any]) -> Iterator[Problem]:
    reference, topic = row.get("reference_answer"), row.get("topic")
    difficulty, metadata = row.get("difficulty"), row.get("metadata")
    if reference is not None and not isinstance(reference, str):
        yield Problem("reference_answer", "must be a text, or be left out.")
    if topic is not None and not (isinstance(topic, str) and len(topic) <= _LONGEST_TOPIC):
        yield Problem("topic", f"must be a text of at most {_LONGEST_TOPIC} characters, or be left out.")
    if difficulty and not (isinstance(difficulty, str) and difficulty.strip().capitalize() in DIFFICULTIES):
        yield Problem("difficulty", f"must be one of {', '.join(DIFFICULTIES)}, or be left out.")
    if metadata is not None and not isinstance(metadata, Mapping):
        yield Problem("metadata", "must be a JSON object, or be left out.")
    elif not _is_domain((metadata or {}).get("domain")):
        yield Problem("metadata.domain", f"must be a text of at most {_LONGEST_DOMAIN} characters.")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_length(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


def _is_domain(value: Any) -> bool:
    return value is None or (isinstance(value, str) and len(value) <= _LONGEST_DOMAIN)
