"""A response and statements go in; how many of them it covers by their key terms comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from scoring import lexical
from scoring.lexical import View
from scoring.measurement import Measurement, Span

PERCENT = 60
LONG = 4


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
    details, marked, count = [], {}, 0
    for number, statement in enumerate(statements, 1):
        places, missing = _look_up(shown, terms(statement))
        covered = bool(places) and 100 * len(places) >= percent * (len(places) + len(missing))
        details.append({"text": statement, "covered": covered, "found": list(places), "missing": missing})
        count += covered
        note = f"{number}: covered" if covered else f"{number}: not covered"
        for place in places.values():
            # A term of several statements is a good one if it helped to cover any of them.
            if covered or place not in marked:
                marked[place] = Span(place[0], place[1], "good" if covered else "note", note)
    return Measurement(
        count / len(statements),
        f"{count} of {len(statements)} {noun} are covered; one is when {percent:g} % of its terms appear.",
        {"covered": count, "of": len(statements), "percent": percent, "statements": details},
        list(marked.values()),
    )


def percent_of(settings: Mapping[str, Any]) -> float:
    """Read how many percent of a statement's terms must appear; the methodology's 60 unless it is set."""
    value = settings.get("key_term_percent", PERCENT)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 100:
        raise ValueError(f"key_term_percent: must be more than 0 and at most 100, not {value!r}.")
    return value


def _look_up(shown: View, wanted: tuple[str, ...]) -> tuple[dict[str, tuple[int, int]], list[str]]:
    """Find where the first word that begins with each term stands, and which terms begin none."""
    places, missing, find = {}, [], shown.flat.find
    for term in wanted:
        at = find(" " + term)
        if at < 0:
            missing.append(term)
        else:
            places[term] = at, find(" ", at + 1) - 1
    if not shown.moved:
        return places, missing
    return {term: shown.span(*place) for term, place in places.items()}, missing
