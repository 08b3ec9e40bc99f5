"""A name goes in; what puts it in the order that people expect comes out."""

from __future__ import annotations

import re

DIFFICULTIES = ("Low", "Medium", "High", "Critical")

_DIGITS = re.compile(r"\d+")


def natural(name: str) -> str:
    """Put B2 before B10, by as many zeros as any number needs.

    >>> sorted(["B10-001", "B2-001"], key=natural)
    ['B2-001', 'B10-001']
    """
    return _DIGITS.sub(lambda digits: digits.group().zfill(8), name)


def difficulty(name: str) -> tuple[int, str]:
    """Put difficulties from low to critical, and what is none of them last.

    >>> sorted(["unheard of", "Critical", "Low"], key=difficulty)
    ['Low', 'Critical', 'unheard of']
    """
    return (DIFFICULTIES.index(name) if name in DIFFICULTIES else len(DIFFICULTIES), name)
