"""The verdict on a response goes in; the sentence, the marks and the flags that explain it come out."""

from __future__ import annotations

from typing import Literal

from scoring.measurement import Span
from scoring.rgb.matching import OVERLAP, Comparison, Match, normalize_answer
from scoring.rgb.places import Places

NEAR_MISS = 0.5


def sentence(match: Match) -> str:
    """Say in a sentence or two what decided.

    >>> from scoring.rgb.matching import match
    >>> sentence(match("It uses UDP.", [["UDP", "User Datagram Protocol"], "SSH"]))
    '1 of 2 required answers are given. 0 of 1 words of “SSH” are in the response: 0%, and 80% are needed.'
    """
    if match.refused:
        return "The response declines to answer."
    if len(match.items) == 1:
        return f"{_finding(match.items[0])}."
    missing = [item for item in match.items if not item.correct]
    given = f"{len(match.items) - len(missing)} of {len(match.items)} required answers are given"
    return ". ".join([given, *map(_finding, missing)]) + "."


def spans(places: Places, match: Match) -> list[Span]:
    """Mark the answers, or the words of them, that stand in the response."""
    return [span for item in match.items for span in _item_spans(places, item)]


def near_misses(match: Match) -> tuple[str, ...]:
    """Flag an incorrect response that has at least half of an answer's words."""
    if match.correct or not any((item.share or 0.0) >= NEAR_MISS for item in match.items if not item.correct):
        return ()
    return ("Near miss: at least half of the expected words are there; the rest may be put differently.",)


def _finding(item: Comparison) -> str:
    if item.share is not None:
        matched, wanted = len(item.matched), len(item.matched) + len(item.missing)
        words = f"{matched} of {wanted} words of “{item.spelling}” are in the response"
        return f"{words}: {item.share:.0%}, and {OVERLAP:.0%} are needed"
    if item.step == "containment":
        return f"“{item.spelling}” is {'' if item.correct else 'not '}in the response"
    if item.step == "part of the answer":
        return f"The response is a part of “{item.spelling}”"
    return "The response or the expected answer is empty"


def _item_spans(places: Places, item: Comparison) -> list[Span]:
    if item.step == "containment" and item.correct:
        return places.spans([normalize_answer(item.spelling)], "good", "expected answer")
    if item.step == "part of the answer":
        return [Span(0, len(places.response), "good", f"part of “{item.spelling}”")]
    kind: Literal["good", "note"] = "good" if item.correct else "note"
    return places.token_spans(item.matched, kind, f"word of “{item.spelling}”")
