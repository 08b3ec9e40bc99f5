"""A response and statements go in; how many of them it covers by their key terms comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from scoring.language import lexical
from scoring.language.lexical import View
from scoring.measurement import Measurement, Span

PERCENT = 60
LONG = 4


class Coverage(NamedTuple):
    """A statement, whether it is covered, and its terms found and missing."""

    statement: str
    covered: bool
    found: list[str]
    missing: list[str]


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
    coverages = [_covered(statement, stands, percent) for statement in statements]
    count = [coverage.covered for coverage in coverages].count(True)
    return Measurement(
        count / len(coverages),
        f"{count} of {len(coverages)} {noun} are covered; one is when {percent:g} % of its terms appear.",
        {
            "covered": count,
            "of": len(coverages),
            "percent": percent,
            "statements": [_evidence(coverage) for coverage in coverages],
        },
        _spans(shown, stands, coverages),
    )


def cover(shown: View, statement: str, percent: float = PERCENT) -> Coverage:
    """See whether a response covers one statement.

    >>> cover(View("Access rights are kept."), "Access rights are reviewed").missing
    ['reviewed']
    """
    return _covered(statement, _stands(shown, [statement]), percent)


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
    return {term: find(" " + term) for term in dict.fromkeys(chain.from_iterable(map(terms, statements)))}


def _covered(statement: str, stands: Mapping[str, int], percent: float) -> Coverage:
    found: list[str] = []
    missing: list[str] = []
    for term in terms(statement):
        (missing if stands[term] < 0 else found).append(term)
    enough = bool(found) and 100 * len(found) >= percent * (len(found) + len(missing))
    return Coverage(statement, enough, found, missing)


def _evidence(coverage: Coverage) -> dict[str, Any]:
    statement, covered, found, missing = coverage
    return {"statement": statement, "covered": covered, "found": found, "missing": missing}


def _spans(shown: View, stands: Mapping[str, int], coverages: Sequence[Coverage]) -> list[Span]:
    """Mark the terms found: as good ones those that helped to cover a statement."""
    notes: dict[str, str] = {}
    for number, coverage in enumerate(coverages, 1):
        if coverage.covered:
            notes.update(dict.fromkeys(coverage.found, f"{number}: covered"))
    # There are dozens of these in a response, and the plain constructor takes twice as long.
    new = tuple.__new__
    spans = [
        new(Span, (at, at + len(term), "good", notes[term]))
        if term in notes
        else new(Span, (at, at + len(term), "note", "too few of its terms"))
        for term, at in stands.items()
        if at >= 0
    ]
    return [Span(*shown.span(span.start, span.end), *span[2:]) for span in spans] if shown.moved else spans
