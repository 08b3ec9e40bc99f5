"""A row of the CCoP suite goes in; every problem in it comes out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from scoring import ordering
from scoring.ccop import benchmarks, criteria
from scoring.rows import Benchmark, Problem

DIFFICULTIES = {level.lower(): level for level in ordering.DIFFICULTIES}
DOMAINS = {"IT": "IT", "OT": "OT", "IT/OT": "IT/OT"}
SHORTEST_QUESTION = 50
FEWEST_FACTS, MOST_FACTS = 3, 8

_TEST_ID = re.compile(r"B([0-9]{1,2})-([0-9]{3})")
_LETTER = re.compile(r"[^\W_]")
_SHOWN = 60
_SCALARS, _LISTS = (str, int, float), (list, tuple)
_TEXTS = (criteria.VIOLATIONS, criteria.CITATIONS, criteria.CLASSIFICATION, criteria.LABELS)


def problems(row: Mapping[str, Any], known: Mapping[str, Benchmark]) -> list[Problem]:
    """Find everything that is wrong with a row, in the order of its fields."""
    found: list[Problem] = []
    found += _test_id(row.get("test_id"))
    found += _benchmark(row, known)
    found += _question(row.get("question"))
    found += _text("expected_response", row.get("expected_response"))
    found += _criteria(row.get("evaluation_criteria"))
    found += _facts(row.get("key_facts"))
    found += _claims(row.get("forbidden_claims"))
    found += _label(row)
    found += _difficulty(row.get("difficulty"))
    found += _metadata(row.get("metadata"))
    found += _reference("section", row.get("section"))
    found += _reference("clause_reference", row.get("clause_reference"))
    return found


# These are asked of every row of a file: nothing is what they nearly always find, and takes no time to give.
def _test_id(value: object) -> Sequence[Problem]:
    if isinstance(value, str) and _TEST_ID.fullmatch(value):
        return ()
    return [
        Problem("test_id", f"must be like B7-001: B, one or two digits, a dash, three digits; {_got(value)}.")
    ]


def _benchmark(row: Mapping[str, Any], known: Mapping[str, Benchmark]) -> Sequence[Problem]:
    value = row.get("benchmark_type")
    code = benchmarks.code(value) if isinstance(value, str) else ""
    if not code:
        reason = f"must be like B7 or B7_Gap_Identification_Quality; {_got(value)}."
        return [Problem("benchmark_type", reason)]
    if code not in known:
        return [Problem("benchmark_type", f"{code} is not registered; an admin can add B22 to B99.")]
    match = _TEST_ID.fullmatch(row["test_id"]) if isinstance(row.get("test_id"), str) else None
    if match and int(match[1]) != int(code[1:]):
        return [Problem("test_id", f"begins with B{match[1]}, but the benchmark is {code}.")]
    return ()


def _question(value: object) -> Sequence[Problem]:
    if not isinstance(value, str):
        reason = f"must be a text of at least {SHORTEST_QUESTION} characters; {_got(value)}."
        return [Problem("question", reason)]
    length = len(value.strip())
    if length < SHORTEST_QUESTION:
        return [Problem("question", f"must have at least {SHORTEST_QUESTION} characters, and has {length}.")]
    return ()


def _text(field: str, value: object) -> Sequence[Problem]:
    if isinstance(value, str) and value.strip():
        return ()
    return [Problem(field, f"must be a text that is not empty; {_got(value)}.")]


def _criteria(value: object) -> Sequence[Problem]:
    field = "evaluation_criteria"
    if not isinstance(value, Mapping) or not value:
        return [Problem(field, f"must be an object that is not empty; {_got(value)}.")]
    found = [
        Problem(f"{field}.{key}", f"must be a text or a list of texts; {_got(value[key])}.")
        for key in _TEXTS
        if key in value and value[key] is not None and not _is_texts(value[key])
    ]
    terms = value.get(criteria.TERMS)
    if terms is not None and not (isinstance(terms, str) or (_is_list(terms) and all(map(_is_texts, terms)))):
        reason = f"must be a list of texts or of their spellings; {_got(terms)}."
        found.append(Problem(f"{field}.{criteria.TERMS}", reason))
    return found


def _facts(value: object) -> Sequence[Problem]:
    if not _is_list(value):
        return [Problem("key_facts", _facts_wanted(value))]
    wrong = _statements("key_facts", value)
    if FEWEST_FACTS <= len(value) <= MOST_FACTS:
        return wrong
    return [Problem("key_facts", _facts_wanted(value)), *wrong]


def _facts_wanted(value: object) -> str:
    return f"must be a list of {FEWEST_FACTS} to {MOST_FACTS} facts; {_got(value)}."


def _claims(value: object) -> Sequence[Problem]:
    if _is_list(value):
        return _statements("forbidden_claims", value)
    return () if value is None else [Problem("forbidden_claims", f"must be a list of texts; {_got(value)}.")]


def _statements(field: str, values: Sequence[object]) -> list[Problem]:
    return [
        Problem(f"{field}[{index}]", f"must be a text with at least one word; {_got(value)}.")
        for index, value in enumerate(values)
        if not isinstance(value, str) or not _LETTER.search(value)
    ]


def _label(row: Mapping[str, Any]) -> Sequence[Problem]:
    value, type_ = row.get("expected_label"), row.get("benchmark_type")
    if value is None:
        code = benchmarks.code(type_) if isinstance(type_, str) else ""
        required = code in benchmarks.LABEL_REQUIRED
        return [Problem("expected_label", f"is required for {code}.")] if required else ()
    if isinstance(value, str) and _LETTER.search(value):
        return ()
    return [Problem("expected_label", f"must be a text with at least one word; {_got(value)}.")]


def _difficulty(value: object) -> Sequence[Problem]:
    if isinstance(value, str) and value.strip().lower() in DIFFICULTIES:
        return ()
    return [Problem("difficulty", f"must be Low, Medium, High or Critical; {_got(value)}.")]


def _metadata(value: object) -> Sequence[Problem]:
    if value is None:
        return ()
    if not isinstance(value, Mapping):
        return [Problem("metadata", f"must be an object; {_got(value)}.")]
    domain = value.get("domain")
    if domain is None or (isinstance(domain, str) and domain.strip().upper() in DOMAINS):
        return ()
    return [Problem("metadata.domain", f"must be IT, OT or IT/OT; {_got(domain)}.")]


def _reference(field: str, value: object) -> Sequence[Problem]:
    if value is None or (isinstance(value, _SCALARS) and not isinstance(value, bool)):
        return ()
    return [Problem(field, f"must be a text; {_got(value)}.")]


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, _LISTS)


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
