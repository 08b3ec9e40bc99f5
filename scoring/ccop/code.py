"""A number of the Code goes in; whether such a section or clause exists, and its heading, come out."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

_FACTS = json.loads(Path(__file__).with_name("clauses.json").read_text(encoding="utf-8"))

SOURCE: str = _FACTS["source"]
HEADINGS: dict[str, str] = _FACTS["headings"]
CLAUSES: frozenset[str] = frozenset(_FACTS["clauses"])


@lru_cache(maxsize=1024)
def number(text: str) -> str:
    """Write a number as the Code does: no leading zeros, and "5.0" is section 5.

    >>> number("05.1.3"), number("5.0")
    ('5.1.3', '5')
    """
    parts = [part.lstrip("0") or "0" for part in text.split(".")]
    return parts[0] if parts[1:] == ["0"] else ".".join(parts)


@lru_cache(maxsize=1024)
def exists(text: str) -> bool:
    """Tell whether the Code has that section, subsection or clause.

    >>> exists("5.1.3"), exists("5.1"), exists("12"), exists("5.99.1")
    (True, True, False, False)
    """
    wanted = number(text)
    return wanted in CLAUSES or wanted in HEADINGS


@lru_cache(maxsize=1024)
def heading(text: str) -> str:
    """Find the heading under which a number stands, the nearest one; "" where there is none.

    >>> heading("5.1.3"), heading("5.1.99"), heading("12")
    ('Access Control', 'Access Control', '')
    """
    wanted = number(text)
    while wanted:
        if wanted in HEADINGS:
            return HEADINGS[wanted]
        wanted = wanted.rpartition(".")[0]
    return ""
