"""A response goes in; its words, searchable at the speed of `str.find`, and where they stand come out."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property, lru_cache
from unicodedata import combining

from scoring.language.text import fold
from scoring.measurement import Measurement

BLANK = Measurement(0.0, "The response is blank, and a blank response scores 0.")

_FOREIGN = re.compile(r"[^\x00-\x7f]+")
# Small letters for capitals, a space for what is neither a letter, a digit, an apostrophe nor a full stop.
_ASCII = bytes(
    ord(chr(code).lower()) if code < 128 and (chr(code).isalnum() or chr(code) in "'.") else ord(" ")
    for code in range(256)
)
_INSIDE = bytes(ord(" ") if code == ord(" ") else ord("x") for code in range(256))
_DIGITS = bytes(ord("0") if chr(code) in "0123456789" else ord(" ") for code in range(256))
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)*")
_SEPARATOR = re.compile(r"[^\w'.]|_")
_FEW = 64
# An apostrophe or a full stop belongs to a word only between two of its letters or digits.
_LOOSE = re.compile(r"['.](?![^\W_])|(?<![^\W_])['.]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class View:
    """A response with its words laid out for searching.

    `text` is the response folded, line breaks kept; `flat` is `text` in lower case with a space for
    every character outside a word, and one more at either end, so that a word at `flat[i]` stands at
    `text[i - 1]`. The words are those of `text.words`. `moved` says that places in `text` are not those of
    the source, `blank` that there is no character that can be seen.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._breaks: list[tuple[int, int, int, int]] = []
        self.text = source if source.isascii() else self._folded()
        self.moved = bool(self._breaks)
        self.flat = _flat(self.text)
        self.blank = self.flat.isspace() and not any(map(_is_seen, self.text))

    @cached_property
    def words(self) -> list[str]:
        """The words, in lower case, in order."""
        return self.flat.split()

    def count(self) -> int:
        """Count the words, without making a list of them where that can be helped."""
        if not self.flat.isascii():
            return len(self.words)
        return self.flat.encode("ascii").translate(_INSIDE).count(b" x")

    def occurrences(self, phrase: str, limit: int | None = None) -> list[tuple[int, int]]:
        """Find the stretches of `text` where the phrase's words stand in a row; the first `limit` of them.

        `phrase` is in the form that the function of that name gives; an empty one occurs nowhere.
        """
        first, rest, longest = _parts(phrase)
        flat = self.flat
        # The longest word is the rarest, and most phrases are not there.
        if not phrase or longest not in flat:
            return []
        found: list[tuple[int, int]] = []
        at = flat.find(first)
        while at >= 0 and len(found) != limit:
            end = self._end_of_row(at + len(first) - 1, rest)
            if end:
                found.append((at, end - 1))
            at = flat.find(first, at + 1)
        return found

    def numbers(self) -> list[tuple[int, int]]:
        """Find the numbers in `text`, those with inner full stops such as "5.1.3" whole."""
        if not self.text.isascii():
            return [match.span() for match in _NUMBER.finditer(self.text)]
        # Looking for one character is many times faster than looking for any of ten.
        next_digit = self.text.encode("ascii").translate(_DIGITS).find
        found = []
        at = next_digit(b"0")
        while at >= 0:
            number = _NUMBER.match(self.text, at)
            end = number.end() if number else at + 1
            found.append((at, end))
            at = next_digit(b"0", end)
        return found

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Find the stretch of the source that became `text[start:end]`."""
        if not self.moved:
            return start, end
        return self._origin(start)[0], self._origin(end - 1)[1]

    def _end_of_row(self, end: int, rest: tuple[str, ...]) -> int:
        """Follow the other words of a phrase through `flat`; give the end of the last, or 0."""
        flat = self.flat
        for word in rest:
            while flat[end : end + 1] == " ":
                end += 1
            if not flat.startswith(word, end):
                return 0
            end += len(word) - 1
        return end

    def _folded(self) -> str:
        """Fold what is not ASCII piece by piece, and remember where lengths or places change."""
        pieces: list[str] = []
        done = length = 0
        for match in _FOREIGN.finditer(self.source):
            start, end = match.span()
            piece = _fold_piece(self.source[start:end])
            if start > done and piece and combining(piece[0]):
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
    """Split a text of a case into words, as `View` does with a response.

    >>> words("Don\u2019t cite Clause 5.1.3.")
    ["don't", 'cite', 'clause', '5.1.3']
    """
    if text.isascii():
        spaced = _spaced_ascii(text).rstrip(" .'")
        if "." not in spaced and "'" not in spaced:
            return spaced.split()
    return _flat(text if text.isascii() else fold(text)).split()


@lru_cache(maxsize=16_384)
def length(text: str) -> int:
    """Count the words of a text of a case."""
    return len(words(text))


@lru_cache(maxsize=16_384)
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
    text = text if len(text) <= limit else text[:limit] + "…"
    return text if text.isprintable() else _UNSTORABLE.sub("\ufffd", text)


@lru_cache(maxsize=16_384)
def _parts(phrase: str) -> tuple[str, tuple[str, ...], str]:
    """Part a phrase into its first word, the others and the longest, with the spaces that they need."""
    first, *rest = phrase.split(" ")
    return f" {first} ", tuple(f"{word} " for word in rest), f" {max((first, *rest), key=len)} "


@lru_cache(maxsize=4096)
def _fold_piece(piece: str) -> str:
    # The bars keep the spaces at the ends, and join with no accent.
    return fold(f"|{piece}|")[1:-1]


def _is_seen(character: str) -> bool:
    return character.isprintable() and not character.isspace()


def _flat(text: str) -> str:
    spaced = _spaced_ascii(text) if text.isascii() else _spaced(text)
    flat = f" {spaced} "
    if "." in flat:
        # Most full stops end a sentence: dealing with those first leaves little for the slower pattern.
        flat = flat.replace(". ", "  ")
    return flat if _is_tidy(flat, ".") and _is_tidy(flat, "'") else _LOOSE.sub(" ", flat)


def _is_tidy(flat: str, mark: str) -> bool:
    """Tell whether a mark stands nowhere but between two letters or digits."""
    at = flat.find(mark)
    while at >= 0:
        if not (flat[at - 1].isalnum() and flat[at + 1].isalnum()):
            return False
        at = flat.find(mark, at + 1)
    return True


def _spaced_ascii(text: str) -> str:
    return text.encode("ascii").translate(_ASCII).decode("ascii")


def _spaced(text: str) -> str:
    """Put a space for every separator: one kind after the other, where there are few."""
    lower = text.lower()
    if len(lower) != len(text):
        # A few capitals have a small form of two characters; offsets matter more than their accent.
        lower = "".join(character.lower()[0] for character in text)
    separators = [character for character in set(lower) if not character.isalnum() and character not in " '."]
    if len(separators) > _FEW:
        return _SEPARATOR.sub(" ", lower)
    for character in separators:
        lower = lower.replace(character, " ")
    return lower
