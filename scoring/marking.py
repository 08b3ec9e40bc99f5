"""Stretches of a folded text go in, marks on the response as it was given come out."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Literal, NamedTuple

from scoring.language.text import Folded
from scoring.measurement import Span

# More marks than this make a page harder to read, not easier; the evidence keeps the full counts.
MOST_MARKS = 200


class Stretch(NamedTuple):
    """A part of the folded text, and what to say of it."""

    start: int
    end: int
    note: str


def marks(
    folded: Folded, stretches: Iterable[Stretch], kind: Literal["good", "bad", "note"]
) -> tuple[Span, ...]:
    """Mark the first 200 stretches, in the order given."""
    return tuple(_mark(folded, stretch, kind) for stretch in islice(stretches, MOST_MARKS))


def _mark(folded: Folded, stretch: Stretch, kind: Literal["good", "bad", "note"]) -> Span:
    # Finding places again is slow, and most text is already as folding would leave it.
    if folded.text == folded.source:
        return Span(stretch.start, stretch.end, kind, stretch.note)
    return Span(*folded.span(stretch.start, stretch.end), kind, stretch.note)
