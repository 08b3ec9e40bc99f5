"""Terminology accuracy.

Whether the response uses the terms of the Code that the case asks for, such as "CIIO" or "digital boundary".

Formula: terms used / terms asked for, which are `terms` of the case's evaluation criteria; an item that is
itself a list holds spellings that may stand for each other. A term is used when its words stand in a row,
whatever their case; its last word may end in s, es or 's.

None: the case asks for no terms.

Weaknesses: it sees whether a term is used, not whether it is used rightly.

>>> measure(EXAMPLE).value
0.5
"""

from __future__ import annotations

from scoring.ccop import criteria
from scoring.language import lexical
from scoring.measurement import Band, Direction, Measurement, Sample, Span

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "none or few"), Band(0.5, "half or more"), Band(1.0, "all"))
INPUTS = ("response", "evaluation_criteria")
EXAMPLE = Sample(
    "Every CIIO answers to the Commissioner.",
    evaluation_criteria={
        "terms": [["CIIO", "critical information infrastructure owner"], "digital boundary"],
    },
)

_ENDINGS = ("", "s", "es", "'s")


def measure(sample: Sample) -> Measurement:
    """Count the terms that the response uses."""
    asked = criteria.spellings(sample.evaluation_criteria, criteria.TERMS)
    if not asked:
        return Measurement(None, "The case asks for no terms.")
    shown = lexical.view(sample.response)
    if shown.blank:
        return lexical.BLANK
    places = [_place(shown, spellings) for spellings in asked]
    used = [spellings[0] for spellings, place in zip(asked, places, strict=True) if place]
    missing = [spellings[0] for spellings, place in zip(asked, places, strict=True) if not place]
    left = f"; missing: {', '.join(missing)}" if missing else ""
    return Measurement(
        len(used) / len(asked),
        f"{len(used)} of {len(asked)} terms are used{left}.",
        {"used": used, "missing": missing},
        sorted(Span(*place, "good", "term used") for place in places if place),
    )


def _place(shown: lexical.View, spellings: list[str]) -> tuple[int, int] | None:
    for spelling in spellings:
        for ending in _ENDINGS:
            places = shown.occurrences(f"{lexical.phrase(spelling)}{ending}", 1)
            if places:
                return shown.span(*places[0])
    return None
