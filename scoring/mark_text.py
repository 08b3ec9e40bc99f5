"""What a judge says of one criterion goes in; the mark comes out, or None where it is not plain which one."""

from __future__ import annotations

import math
import re
from typing import Any

_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5,
    "very poor": 1, "poor": 1, "weak": 2, "fair": 3, "acceptable": 3, "adequate": 3, "good": 4,
    "very good": 5, "excellent": 5, "outstanding": 5,
}  # fmt: skip
_SURE = {"low": 0.3, "medium": 0.6, "high": 0.9}
_AROUND = " \t\r\n*_\"'`()[]|"
_NUMBER = (
    r"(?P<number>[-+]?\d+(?:[.,]\d+)?)"
    r"(?:\s*(?:/|out of|of)\s*(?P<most>5|10|100)(?!\d)|\s*(?P<percent>%))?(?:\s*(?:points?|stars?)\b)?"
)
# After a mark nothing follows, or its reason does: a number that counts something is no mark.
_THEN = r"(?:\s*$|\s*[-–—,;:.()|](?!\s*\d)|\s+(?:because|since|as)\b)"
_FIRST = re.compile(_NUMBER + _THEN, re.IGNORECASE)
_LAST = re.compile(
    rf"(?:\b(?:mark|score|rating|grade)(?:\s+(?:is|of))?|(?<!\d)[:=→])\W*?{_NUMBER}\W*$", re.IGNORECASE
)
_WORD = re.compile(rf"(?P<word>{'|'.join(sorted(_WORDS, key=len, reverse=True))})\b{_THEN}", re.IGNORECASE)


def mark(given: Any) -> float | None:
    """Read a mark: a number of its own, or one that stands first or last in what is said.

    >>> mark("4/5"), mark("8/10"), mark("three"), mark("80%"), mark(True), mark("none")
    (4.0, 4.0, 3.0, 4.0, None, None)
    >>> mark("2 - misses 3 of 10 facts"), mark("cites Section 5 correctly, mark 2"), mark("3 of 10 facts")
    (2.0, 2.0, None)
    """
    if isinstance(given, str):
        found = {value for value in _places(given.strip(_AROUND)) if value is not None}
        return found.pop() if len(found) == 1 else None
    return _finite(given)


def confidence(given: Any) -> float | None:
    """Read 0.9, "0.9", "90%", "9/10", 90 or "high" as a share of one; what makes no sense was not said.

    >>> confidence("90%"), confidence("9/10"), confidence("High."), confidence("I cite 3 of them")
    (0.9, 0.9, 0.9, None)
    """
    if isinstance(given, str):
        text = given.strip(_AROUND)
        found = _FIRST.match(text)
        value = _SURE.get(text.rstrip(".").lower(), _share(found) if found else None)
    else:
        value = _finite(given)
    if value is None:
        return None
    value = value / 100 if 1 < value <= 100 else value
    return value if 0 <= value <= 1 else None


def _places(text: str) -> list[float | None]:
    first, last, word = _FIRST.match(text), _LAST.search(text), _WORD.match(text)
    return [
        _of_five(first) if first else None,
        _of_five(last) if last else None,
        float(_WORDS[word["word"].lower()]) if word else None,
    ]


def _of_five(found: re.Match[str]) -> float | None:
    number = _float(found["number"])
    if not (found["most"] or found["percent"]):
        return number
    return max(1.0, 5 * number / float(found["most"] or 100)) if number >= 0 else None


def _share(found: re.Match[str]) -> float:
    most = 100.0 if found["percent"] else float(found["most"] or 1)
    return _float(found["number"]) / most


def _float(text: str) -> float:
    return float(text.replace(",", "."))


def _finite(given: Any) -> float | None:
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return float(given) if math.isfinite(given) else None
