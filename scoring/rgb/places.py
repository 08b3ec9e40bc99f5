"""A response and a keyword go in; where the keyword stands in the response comes out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import Literal, NamedTuple

from scoring.language.text import Folded, fold
from scoring.measurement import Span
from scoring.rgb.matching import normalize_answer

_CHUNK = re.compile(r"\S+")


class _Chunks(NamedTuple):
    """The stretches between white space: where each starts once folded, and where it stands in the source."""

    folded: list[int]
    source: list[tuple[int, int]]


class Places:
    """A response that can say where its keywords and its words stand.

    >>> Places("Sadly,  I can’t say.").spans(["i can't"], "good", "refusal")
    [Span(start=8, end=15, kind='good', note='refusal')]
    """

    def __init__(self, response: str) -> None:
        self.response = response
        self._folded = fold(response)
        self._lower = self._folded.lower()

    def spans(self, needles: Iterable[str], kind: Literal["good", "bad", "note"], note: str) -> list[Span]:
        """Mark the first place of each needle that can be found."""
        found = (self._of(fold(needle).lower()) for needle in needles)
        return [Span(*place, kind, note) for place in found if place]

    def token_spans(
        self, tokens: Iterable[str], kind: Literal["good", "bad", "note"], note: str
    ) -> list[Span]:
        """Mark the first place of each token, as white space separates tokens."""
        return [Span(*self._source(*self._tokens[t]), kind, note) for t in tokens if t in self._tokens]

    def _of(self, needle: str) -> tuple[int, int] | None:
        start = self._lower.find(needle) if needle else -1
        return self._source(start, start + len(needle)) if start >= 0 else None

    def _source(self, start: int, end: int) -> tuple[int, int]:
        """Find the stretch of the response that became `lower[start:end]`."""
        first, last = self._unlowered(start), self._unlowered(end - 1)
        if self._folded == self.response:
            return first, last + 1
        return self._origin(first)[0], self._origin(last)[1]

    def _origin(self, index: int) -> tuple[int, int]:
        number = bisect_right(self._chunks.folded, index) - 1
        start, end = self._chunks.source[number]
        piece, offset = self.response[start:end], index - self._chunks.folded[number]
        if piece.isascii():
            return start + offset, start + offset + 1
        first, last = Folded(piece).span(offset, offset + 1)
        return start + first, start + last

    def _unlowered(self, index: int) -> int:
        return index if len(self._lower) == len(self._folded) else self._letters[index]

    @cached_property
    def _letters(self) -> list[int]:
        # A capital I with a dot becomes two characters in lower case.
        return [place for place, letter in enumerate(self._folded) for _ in letter.lower()]

    @cached_property
    def _chunks(self) -> _Chunks:
        """Fold chunk by chunk: nothing that folding does reaches across white space."""
        chunks, position = _Chunks([], []), 0
        for found in _CHUNK.finditer(self.response):
            if length := len(found.group() if found.group().isascii() else fold(found.group())):
                chunks.folded.append(position)
                chunks.source.append(found.span())
                position += length + 1
        return chunks

    @cached_property
    def _tokens(self) -> dict[str, tuple[int, int]]:
        found: dict[str, tuple[int, int]] = {}
        for token in _CHUNK.finditer(normalize_answer(self.response)):
            found.setdefault(token.group(), token.span())
        return found
