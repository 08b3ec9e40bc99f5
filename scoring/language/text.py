"""Text goes in; folded text, words, sentences and the answer without its reasoning come out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

_SPACES = re.compile(r"\s+")
_TYPOGRAPHY = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u2039\u203a", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-")
)
# Soft hyphen, zero-width and bidirectional controls, and the byte order mark.
_CONTROLS = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")
_REASONING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['.][^\W_]+)*")
_STOPS = ".!?。！？"
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_SENTENCE_END = re.compile(rf"[{_STOPS}]+[\"'”’)\]»」』]*(?=\s|$|[{_CJK}])|[\r\n\u2028\u2029]+")


class Word(NamedTuple):
    """A word in lower case, and where it stands in the text it was taken from."""

    text: str
    start: int
    end: int


def fold(text: str) -> str:
    """Bring spellings that look alike together, keeping case.

    NFKC, ASCII quotes and dashes, no invisible controls, single spaces, no space at the ends.

    >>> fold("I\u202fcan\u2019t \u2013 \ufb01ne\u200b ")
    "I can't - fine"
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _CONTROLS.sub("", text.translate(_TYPOGRAPHY)))
        # NFKC may bring typographic characters forth, such as a prime from a double prime.
        text = text.translate(_TYPOGRAPHY)
    return _SPACES.sub(" ", text).strip()


class Folded:
    """A folded text that remembers where each character of it stood before folding."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.text = fold(source)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Find the stretch of the source that became `text[start:end]`."""
        if not 0 <= start < end <= len(self._origins):
            return (0, 0)
        return self._origins[start][0], self._origins[end - 1][1]

    @cached_property
    def _origins(self) -> list[tuple[int, int]]:
        origins: list[tuple[int, int]] = []
        for start, end in _clusters(self.source):
            piece = self.source[start:end]
            if piece.isspace():
                origins += [(start, end)] if origins and not self._ends_in_space(origins) else []
            else:
                origins += [(start, end)] * _folded_length(piece)
        return origins

    def _ends_in_space(self, origins: list[tuple[int, int]]) -> bool:
        start, end = origins[-1]
        return self.source[start:end].isspace()


def words(text: str) -> list[Word]:
    """Split folded text into words, in lower case; "5.1.3", "10.0.0.1" and "can't" hold together.

    >>> [word.text for word in words("Clause 5.1.3 isn't met.")]
    ['clause', '5.1.3', "isn't", 'met']
    """
    return [Word(match.group().lower(), match.start(), match.end()) for match in _WORD.finditer(text)]


def sentences(text: str) -> list[str]:
    """Split text into sentences, at stops before a space, the end or a CJK character, and at line breaks.

    >>> sentences("Use TLS 1.2. Block 10.0.0.1!  Why? Clause 5.1.3 asks for it")
    ['Use TLS 1.2.', 'Block 10.0.0.1!', 'Why?', 'Clause 5.1.3 asks for it']
    """
    return [text[start:end] for start, end in sentence_spans(text)]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Find where each sentence begins and ends, without the spaces around it."""
    return [span for span in (_trimmed(text, *raw) for raw in _raw_sentences(text)) if span[0] < span[1]]


def without_reasoning(text: str) -> str:
    """Drop the `<think>…</think>` parts that reasoning models put before their answer.

    >>> without_reasoning("<think>Hm.</think>Compliant")
    'Compliant'
    """
    if "<think>" not in text.lower() and "</think>" not in text.lower():
        return text
    kept = _REASONING.sub("", text)
    # Some servers drop the opening tag: all before a lone closing tag was reasoning.
    lone = kept.lower().rfind("</think>")
    return kept[lone + len("</think>") :].strip() if lone >= 0 else kept.strip()


def _raw_sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _SENTENCE_END.finditer(text):
        yield start, match.end()
        start = match.end()
    yield start, len(text)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return start + left, max(start + left, start + len(piece.rstrip()))


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Cut text where NFKC cannot join what stands on either side, and around runs of spaces."""
    start = 0
    for index in range(1, len(text) + 1):
        if index == len(text) or not _joined(text[index - 1], text[index]):
            yield start, index
            start = index


def _joined(left: str, right: str) -> bool:
    return bool(unicodedata.combining(right)) or (left.isspace() and right.isspace())


def _folded_length(piece: str) -> int:
    # Inner spaces stay one character; those at the ends are the neighbours' business.
    return len(fold(f"x{piece}x")) - 2
