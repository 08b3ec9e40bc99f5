"""A case's evaluation criteria go in; the lists that metrics look for come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# What each metric reads of a case's `evaluation_criteria`.
TERMS = "terms"
VIOLATIONS = "expected_violations"
CITATIONS = "expected_citations"
CLASSIFICATION = "expected_classification"
LABELS = "labels"


def strings(criteria: Mapping[str, Any], key: str) -> list[str]:
    """Read a list of texts, or one text; what is blank or no text is left out.

    >>> strings({"labels": ["Compliant", " ", 3]}, "labels"), strings({"labels": "Yes"}, "labels")
    (['Compliant'], ['Yes'])
    """
    return [item for item in _items(criteria.get(key)) if isinstance(item, str) and item.strip()]


def spellings(criteria: Mapping[str, Any], key: str) -> list[list[str]]:
    """Read a list whose items are texts, or lists of spellings that may stand for each other.

    >>> spellings({"terms": ["CII", ["CIIO", "CII owner"]]}, "terms")
    [['CII'], ['CIIO', 'CII owner']]
    """
    return [found for item in _items(criteria.get(key)) if (found := strings({key: item}, key))]


def _items(given: object) -> Sequence[object]:
    if given is None:
        return ()
    return [given] if isinstance(given, str) else given if isinstance(given, list | tuple) else ()
