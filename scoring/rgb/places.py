"""A response and a keyword go in; where the keyword stands in the response comes out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Literal

from scoring.measurement import Span
from scoring.rgb.matching import normalize_answer
from scoring.text import Folded, fold


class Places:
    """A response that can say where its keywords and its words stand.

    >>> Places("Sadly, I can’t say.").spans(["i can't"], "good", "refusal")
    [Span(start=7, end=14, kind='good', note='refusal')]
    """

    def __init__(self, response: str) -> None:
        self._folded = Folded(response)
        self._lower = self._folded.text.lower()

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
        start, end = self._unlowered(start), self._unlowered(end - 1) + 1
        return (start, end) if self._folded.text == self._folded.source else self._folded.span(start, end)

    def _unlowered(self, index: int) -> int:
        """Find the folded character that an index of the lowered text belongs to."""
        if len(self._lower) == len(self._folded.text):
            return index
        # A capital I with a dot becomes two characters in lower case.
        origins = [place for place, char in enumerate(self._folded.text) for _ in char.lower()]
        return origins[index]

    @cached_property
    def _tokens(self) -> dict[str, tuple[int, int]]:
        normal = normalize_answer(self._folded.source)
        found: dict[str, tuple[int, int]] = {}
        for token in re.finditer(r"\S+", normal):
            found.setdefault(token.group(), token.span())
        return found
