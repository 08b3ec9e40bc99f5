"""A response and statements go in; how many of them it covers by their key terms comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from scoring.language import lexical
from scoring.language.lexical import View
from scoring.measurement import Measurement, Span

PERCENT = 60
LONG = 4

_TOO_FEW = "too few of its terms"


@lru_cache(maxsize=16_384)
def terms(statement: str) -> tuple[str, ...]:
    """List a statement's distinct words of more than 4 characters, or all its words if none is that long.

    >>> terms("The CIIO reviews the access rights of the CIIO")
    ('reviews', 'access', 'rights')
    >>> terms("Use MFA")
    ('use', 'mfa')
    """
    words = dict.fromkeys(lexical.words(statement))
    return tuple([word for word in words if len(word) > LONG] or words)


def coverage(shown: View, statements: Sequence[str], noun: str, percent: float = PERCENT) -> Measurement:
    """Measure how many statements have `percent` of their terms at the beginning of words of the response.

    >>> coverage(View("Access rights are kept."), ["Access rights are reviewed", "Logging"], "facts").value
    0.5
    """
    stands = _stands(shown, statements)
    found = [_coverage(statement, stands, percent) for statement in statements]
    count = [coverage["covered"] for coverage in found].count(True)
    return Measurement(
        count / len(found),
        f"{count} of {len(found)} {noun} are covered; one is when {percent:g} % of its terms appear.",
        {"covered": count, "of": len(found), "percent": percent, "statements": found},
        _spans(shown, stands, found),
    )


def percent_of(settings: Mapping[str, Any]) -> float:
    """Read how many percent of a statement's terms must appear; the methodology's 60 unless it is set."""
    if "key_term_percent" not in settings:
        return PERCENT
    value = settings["key_term_percent"]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 100:
        raise ValueError(f"key_term_percent: must be more than 0 and at most 100, not {value!r}.")
    return value


def _stands(shown: View, statements: Sequence[str]) -> dict[str, int]:
    """Find where the first word that begins with each term stands in the folded text; -1 where none does."""
    find = shown.flat.find
    return {term: find(beginning) for term, beginning in _beginnings(tuple(statements))}


@lru_cache(maxsize=4_096)
def _beginnings(statements: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """List the distinct terms of some statements, each also as the beginning of a word in a flat text."""
    return tuple((term, f" {term}") for term in dict.fromkeys(chain.from_iterable(map(terms, statements))))


def _coverage(statement: str, stands: Mapping[str, int], percent: float) -> dict[str, Any]:
    """See whether a statement is covered, and which of its terms are there."""
    wanted = terms(statement)
    found = [term for term in wanted if stands[term] >= 0]
    missing = [term for term in wanted if stands[term] < 0] if len(found) < len(wanted) else []
    covered = bool(found) and 100 * len(found) >= percent * len(wanted)
    return {"statement": statement, "covered": covered, "found": found, "missing": missing}


def _spans(shown: View, stands: Mapping[str, int], coverages: Sequence[Mapping[str, Any]]) -> list[Span]:
    """Mark the terms found: as good ones those that helped to cover a statement."""
    notes: dict[str, str] = {}
    for number, coverage in enumerate(coverages, 1):
        if coverage["covered"]:
            note = f"{number}: covered"
            for term in coverage["found"]:
                notes[term] = note
    # There are dozens of these in a response, and the plain constructor takes twice as long.
    new = tuple.__new__
    spans = [
        new(Span, (at, at + len(term), "good" if term in notes else "note", notes.get(term, _TOO_FEW)))
        for term, at in stands.items()
        if at >= 0
    ]
    return [Span(*shown.span(span.start, span.end), *span[2:]) for span in spans] if shown.moved else spans
