"""A text and its spans go in, stretches to mark come out, in order and without gaps or overlaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

_STRONGEST = ("bad", "good", "note")


class Stretch(NamedTuple):
    """A piece of text, and how to mark it: not at all where `kind` is blank."""

    text: str
    kind: str
    note: str


def stretches(text: str, spans: Iterable[Sequence[object]]) -> list[Stretch]:
    """Cut a text at the edges of its spans; where spans overlap, bad outshines good outshines note.

    >>> stretches("Paris it is", [(0, 5, "good", "the answer")])
    [Stretch(text='Paris', kind='good', note='the answer'), Stretch(text=' it is', kind='', note='')]
    """
    valid = [(int(str(s)), int(str(e)), str(k), str(n)) for s, e, k, n in spans]
    valid = sorted((max(0, s), min(len(text), e), k, n) for s, e, k, n in valid if s < e and s < len(text))
    edges = sorted({0, len(text), *(s for s, *_ in valid), *(e for _, e, *_ in valid)})
    found: list[Stretch] = []
    active: list[tuple[int, int, str, str]] = []
    upcoming = iter([*valid, (len(text) + 1, 0, "", "")])
    following = next(upcoming)
    for start, end in pairwise(edges):
        while following[0] <= start:
            active.append(following)
            following = next(upcoming)
        active = [span for span in active if span[1] > start]
        found.append(_stretch(text[start:end], active))
    return found


def _stretch(text: str, active: list[tuple[int, int, str, str]]) -> Stretch:
    if not active:
        return Stretch(text, "", "")
    kind = min((span[2] for span in active), key=_STRONGEST.index)
    return Stretch(text, kind, "; ".join(dict.fromkeys(span[3] for span in active)))
