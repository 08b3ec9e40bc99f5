"""A row of the CCoP suite goes in; every problem in it comes out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from scoring.ccop import benchmarks, criteria
from scoring.rows import Benchmark, Problem

DIFFICULTIES = {"low": "Low", "medium": "Medium", "high": "High", "critical": "Critical"}
DOMAINS = {"IT": "IT", "OT": "OT", "IT/OT": "IT/OT"}
SHORTEST_QUESTION = 50
FEWEST_FACTS, MOST_FACTS = 3, 8

_TEST_ID = re.compile(r"B([0-9]{1,2})-([0-9]{3})")
_LETTER = re.compile(r"[^\W_]")
_SHOWN = 60


def problems(row: Mapping[str, Any], known: Mapping[str, Benchmark]) -> list[Problem]:
    """Find everything that is wrong with a row, in the order of its fields."""
    return [
        *_test_id(row.get("test_id")),
        *_benchmark(row, known),
        *_question(row.get("question")),
        *_text("expected_response", row.get("expected_response")),
        *_criteria(row.get("evaluation_criteria")),
        *_facts(row.get("key_facts")),
        *_claims(row.get("forbidden_claims")),
        *_label(row),
        *_difficulty(row.get("difficulty")),
        *_metadata(row.get("metadata")),
        *_reference("section", row.get("section")),
        *_reference("clause_reference", row.get("clause_reference")),
    ]


def _test_id(value: object) -> Iterator[Problem]:
    if not isinstance(value, str) or not _TEST_ID.fullmatch(value):
        yield Problem(
            "test_id", f"must be like B7-001: B, one or two digits, a dash, three digits; {_got(value)}."
        )


def _benchmark(row: Mapping[str, Any], known: Mapping[str, Benchmark]) -> Iterator[Problem]:
    value = row.get("benchmark_type")
    code = benchmarks.code(value) if isinstance(value, str) else ""
    if not code:
        yield Problem("benchmark_type", f"must be like B7 or B7_Gap_Identification_Quality; {_got(value)}.")
    elif code not in known:
        yield Problem("benchmark_type", f"{code} is not registered; an admin can add B22 to B99.")
    else:
        match = _TEST_ID.fullmatch(row["test_id"]) if isinstance(row.get("test_id"), str) else None
        if match and int(match[1]) != int(code[1:]):
            yield Problem("test_id", f"begins with B{match[1]}, but the benchmark is {code}.")


def _question(value: object) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield Problem(
            "question", f"must be a text of at least {SHORTEST_QUESTION} characters; {_got(value)}."
        )
    elif len(value.strip()) < SHORTEST_QUESTION:
        length = len(value.strip())
        yield Problem("question", f"must have at least {SHORTEST_QUESTION} characters, and has {length}.")


def _text(field: str, value: object) -> Iterator[Problem]:
    if not isinstance(value, str) or not value.strip():
        yield Problem(field, f"must be a text that is not empty; {_got(value)}.")


def _criteria(value: object) -> Iterator[Problem]:
    field = "evaluation_criteria"
    if not isinstance(value, Mapping) or not value:
        yield Problem(field, f"must be an object that is not empty; {_got(value)}.")
        return
    for key in (criteria.VIOLATIONS, criteria.CITATIONS, criteria.CLASSIFICATION, criteria.LABELS):
        if key in value and value[key] is not None and not _is_texts(value[key]):
            yield Problem(f"{field}.{key}", f"must be a text or a list of texts; {_got(value[key])}.")
    terms = value.get(criteria.TERMS)
    if terms is not None and not (isinstance(terms, str) or (_is_list(terms) and all(map(_is_texts, terms)))):
        yield Problem(
            f"{field}.{criteria.TERMS}", f"must be a list of texts or of their spellings; {_got(terms)}."
        )


def _facts(value: object) -> Iterator[Problem]:
    if not _is_list(value) or not FEWEST_FACTS <= len(value) <= MOST_FACTS:
        yield Problem("key_facts", f"must be a list of {FEWEST_FACTS} to {MOST_FACTS} facts; {_got(value)}.")
    if _is_list(value):
        yield from _statements("key_facts", value)


def _claims(value: object) -> Iterator[Problem]:
    if _is_list(value):
        yield from _statements("forbidden_claims", value)
    elif value is not None:
        yield Problem("forbidden_claims", f"must be a list of texts; {_got(value)}.")


def _statements(field: str, values: Sequence[object]) -> Iterator[Problem]:
    for index, value in enumerate(values):
        if not isinstance(value, str) or not _LETTER.search(value):
            yield Problem(f"{field}[{index}]", f"must be a text with at least one word; {_got(value)}.")


def _label(row: Mapping[str, Any]) -> Iterator[Problem]:
    value, type_ = row.get("expected_label"), row.get("benchmark_type")
    code = benchmarks.code(type_) if isinstance(type_, str) else ""
    if value is None:
        if code in benchmarks.LABEL_REQUIRED:
            yield Problem("expected_label", f"is required for {code}.")
    elif not isinstance(value, str) or not _LETTER.search(value):
        yield Problem("expected_label", f"must be a text with at least one word; {_got(value)}.")


def _difficulty(value: object) -> Iterator[Problem]:
    if not isinstance(value, str) or value.strip().lower() not in DIFFICULTIES:
        yield Problem("difficulty", f"must be Low, Medium, High or Critical; {_got(value)}.")


def _metadata(value: object) -> Iterator[Problem]:
    if value is None:
        return
    if not isinstance(value, Mapping):
        yield Problem("metadata", f"must be an object; {_got(value)}.")
        return
    domain = value.get("domain")
    if domain is not None and (not isinstance(domain, str) or domain.strip().upper() not in DOMAINS):
        yield Problem("metadata.domain", f"must be IT, OT or IT/OT; {_got(domain)}.")


def _reference(field: str, value: object) -> Iterator[Problem]:
    if value is not None and (isinstance(value, bool) or not isinstance(value, str | int | float)):
        yield Problem(field, f"must be a text; {_got(value)}.")


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, list | tuple)


def _is_texts(value: object) -> bool:
    return isinstance(value, str) or (_is_list(value) and all(isinstance(item, str) for item in value))


def _got(value: object) -> str:
    """Say what was given instead, briefly."""
    if value is None:
        return "nothing is given"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)} is given"
    shown = repr(value)
    return f"{shown if len(shown) <= _SHOWN else shown[:_SHOWN] + '…'} is given"
