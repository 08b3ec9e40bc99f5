"""Chunks of bytes go in; numbered lines of text come out, or what is wrong with one; memory stays bounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from scoring.jsonl import formats

LONGEST_LINE = 1024 * 1024
_HEAD = 512


class Line(NamedTuple):
    """One line of text; only the last of a file may not have ended in a line break."""

    number: int
    text: str
    ended: bool


class BadLine(NamedTuple):
    """A line that is no text of a reasonable length; without a number it is about the file."""

    number: int | None
    reason: str


def split(chunks: Iterable[bytes], longest: int = LONGEST_LINE) -> Iterator[Line | BadLine]:
    """Give the lines that are not blank; a line that is too long is never held in memory as a whole."""
    stream = iter(chunks)
    head = _head(stream)
    if reason := formats.refusal(head):
        yield BadLine(None, reason)
        return
    stream = chain([head.removeprefix(formats.UTF8_BOM)], stream)
    for number, raw, length, ended in _raw_lines(stream, longest):
        if length > longest:
            yield BadLine(number, _too_long(length, longest))
        elif raw and not raw.isspace():
            yield _decoded(number, raw, ended)


def _head(stream: Iterator[bytes]) -> bytes:
    """Take chunks until there is enough to recognise a file by."""
    head = b""
    while len(head) < _HEAD and (chunk := next(stream, None)) is not None:
        head += chunk
    return head


def _raw_lines(chunks: Iterable[bytes], longest: int) -> Iterator[tuple[int, bytes, int, bool]]:
    """Give each line's number, bytes, length and whether it ended; the bytes of a too long one are let go."""
    number, rest, lost = 1, b"", 0
    for chunk in chunks:
        pieces = (rest + chunk).split(b"\n")
        rest = pieces.pop()
        for piece in pieces:
            yield number, piece, lost + len(piece), True
            number, lost = number + 1, 0
        if lost or len(rest) > longest:
            lost, rest = lost + len(rest), b""
    if lost or rest:
        yield number, rest, lost + len(rest), False


def _decoded(number: int, raw: bytes, ended: bool) -> Line | BadLine:
    try:
        return Line(number, raw.decode(), ended)
    except UnicodeDecodeError as error:
        byte, place = raw[error.start], error.start + 1
        return BadLine(
            number, f"is not UTF-8: byte {place:,} of the line is 0x{byte:02X}. Save the file as UTF-8."
        )


def _too_long(length: int, longest: int) -> str:
    return f"is {length:,} bytes long; the longest line allowed has {longest:,}."
