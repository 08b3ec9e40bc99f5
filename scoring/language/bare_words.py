"""Text goes in; its words in lower case and without punctuation come out, and where each one stands."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterator

from scoring.language.text import Folded, Word, fold

_CHUNK = re.compile(r"\S+")


def bare_words(text: str) -> list[str]:
    """Fold text, remove punctuation, put it in lower case and split it at whitespace.

    >>> bare_words("Don\u2019t trust, VERIFY \u2013 e.g. state-of-the-art TLS 1.2!")
    ['dont', 'trust', 'verify', 'eg', 'stateoftheart', 'tls', '12']
    """
    folded = fold(text)
    return folded.translate(dict.fromkeys(map(ord, _marks(folded)))).lower().split()


def bare_words_in(folded: Folded) -> list[Word]:
    """Give the same words with their places in the folded text, without the punctuation around them."""
    return list(_placed(folded.text))


def _placed(text: str) -> Iterator[Word]:
    marks = _marks(text)
    removed = dict.fromkeys(map(ord, marks))
    for match in _CHUNK.finditer(text):
        chunk = match.group()
        if word := chunk.translate(removed).lower():
            start = match.start() + len(chunk) - len(chunk.lstrip(marks))
            yield Word(word, start, match.start() + len(chunk.rstrip(marks)))


def _marks(text: str) -> str:
    """List the punctuation to remove: that of ASCII, and what Unicode calls so among the characters here."""
    if text.isascii():
        return string.punctuation
    rare = (mark for mark in sorted(set(text)) if not mark.isascii())
    return string.punctuation + "".join(mark for mark in rare if unicodedata.category(mark).startswith("P"))
