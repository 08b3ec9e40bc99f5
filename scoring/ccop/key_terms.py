"""A response and a statement go in; which of the statement's key terms the response has comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from scoring import lexical
from scoring.lexical import View
from scoring.measurement import Measurement, Span

PERCENT = 60
LONG = 4

_MARKS: tuple[tuple[Literal["note", "good"], str], ...] = (("note", "not covered"), ("good", "covered"))


class Coverage(NamedTuple):
    """A statement, its terms found and missing, where the found ones stand, and whether they are enough."""

    statement: str
    found: list[str]
    missing: list[str]
    places: list[tuple[int, int]]
    covered: bool


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


def cover(shown: View, statement: str, percent: float = PERCENT) -> Coverage:
    """See whether `percent` of a statement's terms begin a word of the response.

    >>> cover(View("Access rights are kept."), "Access rights are reviewed").found
    ['access', 'rights']
    """
    found, missing, places = [], [], []
    for term in terms(statement):
        place = shown.beginning(term)
        if place:
            found.append(term)
            places.append(place)
        else:
            missing.append(term)
    covered = bool(found) and 100 * len(found) >= percent * (len(found) + len(missing))
    return Coverage(statement, found, missing, places, covered)


def share(coverages: Sequence[Coverage], noun: str, percent: float) -> Measurement:
    """Measure the covered statements' share of all, with each statement's terms as evidence."""
    covered = sum(coverage.covered for coverage in coverages)
    return Measurement(
        covered / len(coverages),
        f"{covered} of {len(coverages)} {noun} are covered; one is when {percent:g} % of its terms appear.",
        {
            "covered": covered,
            "of": len(coverages),
            "percent": percent,
            "statements": [_evidence(item) for item in coverages],
        },
        _spans(coverages),
    )


def percent_of(settings: Mapping[str, Any]) -> float:
    """Read how many percent of a statement's terms must appear; the methodology's 60 unless it is set."""
    value = settings.get("key_term_percent", PERCENT)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 100:
        raise ValueError(f"key_term_percent: must be more than 0 and at most 100, not {value!r}.")
    return value


def _evidence(coverage: Coverage) -> dict[str, Any]:
    return {
        "text": coverage.statement,
        "covered": coverage.covered,
        "found": coverage.found,
        "missing": coverage.missing,
    }


def _spans(coverages: Sequence[Coverage]) -> list[Span]:
    """Mark where each found term first stands; a term that helped to cover a statement is a good one."""
    marked: dict[tuple[int, int], Span] = {}
    for number, coverage in enumerate(coverages, 1):
        kind, says = _MARKS[coverage.covered]
        note = f"{number}: {says}"
        for place in coverage.places:
            if coverage.covered or place not in marked:
                marked[place] = Span(place[0], place[1], kind, note)
    return list(marked.values())
