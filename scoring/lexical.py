"""A response goes in; its words, searchable at the speed of `str.find`, and where they stand come out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache
from unicodedata import combining

from scoring.measurement import Measurement
from scoring.text import fold

BLANK = Measurement(0.0, "The response is blank, and a blank response scores 0.")

_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_ASCII_SEPARATORS = {code: " " for code in range(128) if not chr(code).isalnum() and chr(code) not in "'."}
_SEPARATOR = re.compile(r"[^\w'.]|_")
_FEW = 64
# An apostrophe or a full stop belongs to a word only between two of its letters or digits.
_LOOSE = re.compile(r"['.](?![^\W_])|(?<![^\W_])['.]")
_APOSTROPHES = (" '", "' ", "''", "'.", ".'")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class View:
    """A response with its words laid out for searching.

    `text` is the response folded, line breaks kept; `flat` is `text` in lower case with a space for
    every character outside a word, and one more at either end, so that a word at `flat[i]` stands at
    `text[i - 1]`; `joined` has the same words with single spaces between and around them. The words
    are those of `scoring.text.words`.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._breaks: list[tuple[int, int, int, int]] = []
        self.text = source if source.isascii() else self._folded()
        self.flat = _flat(self.text)
        self.joined = _single_spaced(self.flat)

    @cached_property
    def blank(self) -> bool:
        """Whether there is nothing to read: no character but spaces and invisible ones."""
        return not self.text.strip()

    @cached_property
    def words(self) -> list[str]:
        """The words, in lower case, in order."""
        return self.flat.split()

    @cached_property
    def length(self) -> int:
        """How many words there are."""
        return max(self.joined.count(" ") - 1, 0)

    def occurrences(self, phrase: str) -> Iterator[tuple[int, int]]:
        """Find the stretches of `text` where the phrase's words stand in a row.

        `phrase` is in the form that the function of that name gives; an empty one occurs nowhere.
        """
        if not phrase or f" {phrase} " not in self.joined:
            return
        first, *rest = phrase.split(" ")
        at = self.flat.find(f" {first} ")
        while at >= 0:
            end = self._end_of_row(at + 1 + len(first), rest)
            if end:
                yield at, end - 1
            at = self.flat.find(f" {first} ", at + 1)

    def begins(self, prefix: str) -> tuple[int, int] | None:
        """Find the first word that begins with a prefix, as a stretch of the source."""
        at = self.flat.find(f" {prefix}")
        return None if at < 0 else self.span(at, self.flat.index(" ", at + 1) - 1)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Find the stretch of the source that became `text[start:end]`."""
        if not self._breaks:
            return start, end
        return self._origin(start)[0], self._origin(end - 1)[1]

    def _end_of_row(self, end: int, rest: list[str]) -> int:
        """Follow the other words of a phrase through `flat`; give the end of the last, or 0."""
        flat = self.flat
        for word in rest:
            while flat[end : end + 1] == " ":
                end += 1
            if not flat.startswith(f"{word} ", end):
                return 0
            end += len(word)
        return end

    def _folded(self) -> str:
        """Fold what is not ASCII piece by piece, and remember where lengths or places change."""
        pieces: list[str] = []
        done = length = 0
        for match in _FOREIGN.finditer(self.source):
            start, end = match.span()
            if combining(self.source[start]) and start > done:
                start -= 1  # The accent belongs to the ASCII letter before it.
            piece = _fold_piece(self.source[start:end])
            length += start - done
            self._breaks.append((length, start, len(piece), end - start))
            pieces += (self.source[done:start], piece)
            done, length = end, length + len(piece)
        return "".join((*pieces, self.source[done:]))

    def _origin(self, place: int) -> tuple[int, int]:
        """Find the stretch of the source that the character `text[place]` came from."""
        index = bisect_right(self._break_places, place) - 1
        if index < 0:
            return place, place + 1
        at, source_at, length, source_length = self._breaks[index]
        if place >= at + length:
            moved = source_at + source_length + place - at - length
            return moved, moved + 1
        if length == source_length:
            return source_at + place - at, source_at + place - at + 1
        return source_at, source_at + source_length

    @cached_property
    def _break_places(self) -> list[int]:
        return [at for at, _, _, _ in self._breaks]


@lru_cache(maxsize=8)
def view(response: str) -> View:
    """Lay out a response once for all the metrics that look at it in turn."""
    return View(response)


def words(text: str) -> list[str]:
    """Split a short text of a case into words, as `View` does with a response.

    >>> words("Don\u2019t cite Clause 5.1.3.")
    ["don't", 'cite', 'clause', '5.1.3']
    """
    return _flat(text if text.isascii() else fold(text)).split()


@lru_cache(maxsize=4096)
def phrase(text: str) -> str:
    """Bring a text of a case into the form that `View.positions` looks for.

    >>> phrase("Non-Compliant (see 5.1)")
    'non compliant see 5.1'
    """
    return " ".join(words(text))


def excerpt(text: str, limit: int = 300) -> str:
    """Cut a stretch of a response to a length that evidence can carry, in characters every store takes.

    >>> excerpt("NUL\\x00 and more", limit=8)
    'NUL\ufffd and…'
    """
    return _UNSTORABLE.sub("\ufffd", text if len(text) <= limit else text[:limit] + "…")


@lru_cache(maxsize=4096)
def _fold_piece(piece: str) -> str:
    # The bars keep the spaces at the ends, and join with no accent.
    return fold(f"|{piece}|")[1:-1]


def _flat(text: str) -> str:
    lower = text.lower()
    if len(lower) != len(text):
        # A few capitals have a small form of two characters; offsets matter more than their accent.
        lower = "".join(character.lower()[0] for character in text)
    spaced = lower.translate(_ASCII_SEPARATORS) if lower.isascii() else _spaced(lower)
    # Most full stops end a sentence: dealing with those first leaves little for the slower pattern.
    flat = f" {spaced} ".replace(". ", "  ")
    tidy = ("'" not in flat or not any(pair in flat for pair in _APOSTROPHES)) and (
        "." not in flat or (" ." not in flat and ".." not in flat)
    )
    return flat if tidy else _LOOSE.sub(" ", flat)


def _spaced(lower: str) -> str:
    """Put a space for every separator: one kind after the other, where there are few."""
    separators = [character for character in set(lower) if not character.isalnum() and character not in " '."]
    if len(separators) > _FEW:
        return _SEPARATOR.sub(" ", lower)
    for character in separators:
        lower = lower.replace(character, " ")
    return lower


def _single_spaced(flat: str) -> str:
    while "  " in flat:
        flat = flat.replace("  ", " ")
    return flat
