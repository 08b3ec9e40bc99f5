"""A model's words go in; words that PostgreSQL can store, and a sentence on each change, come out."""

from __future__ import annotations

import math
import re
from typing import Any

LONGEST_ANSWER = 1_000_000  # characters
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_SURROGATES = re.compile("[\ud800-\udfff]")


def clean(text: str) -> tuple[str, tuple[str, ...]]:
    """Replace what cannot be stored, and cut what is longer than any answer should be.

    >>> clean("one\\0two")
    ('one\ufffdtwo', ('The answer held a NUL character, which was replaced.',))
    """
    notes = []
    if len(text) > LONGEST_ANSWER:
        text = text[:LONGEST_ANSWER]
        notes.append(f"The answer was cut at {LONGEST_ANSWER:,} characters.")
    if "\0" in text:
        text = text.replace("\0", _REPLACEMENT)
        notes.append("The answer held a NUL character, which was replaced.")
    if not text.isascii() and _SURROGATES.search(text):
        text = _SURROGATES.sub(_REPLACEMENT, text)
        notes.append("The answer held half of a character (a lone surrogate), which was replaced.")
    return text, tuple(notes)


def plain(value: Any) -> Any:
    """Make a small piece of a server's metadata fit for a JSON column; whatever is not small is dropped."""
    if isinstance(value, str):
        return clean(value[:500])[0]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {clean(str(name)[:80])[0]: plain(part) for name, part in list(value.items())[:50]}
    return value if value is None or isinstance(value, bool | int) else None


def text_of(value: Any) -> str:
    """Read a message's content: text, nothing, or a list of parts of which some are text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(text_of(part.get("text") if isinstance(part, dict) else part) for part in value)
    return ""


def count_of(value: Any) -> int | None:
    """Read a number of tokens; whatever is none is None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value < 2**31 else None


def part_of(value: Any, name: str) -> dict[str, Any]:
    """Take an object out of an object; whatever is none is empty."""
    part = value.get(name) if isinstance(value, dict) else None
    return part if isinstance(part, dict) else {}
