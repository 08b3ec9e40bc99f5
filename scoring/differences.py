"""Two rows go in; the fields that differ come out, each as pieces that stayed, went or came."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

MOST_WORDS = 3_000  # above, comparing word by word takes too long for a page

_WORDS = re.compile(r"\s+|[^\W_]+|[\W_]")


class Piece(NamedTuple):
    """A stretch of text, and what became of it: same, removed or added."""

    kind: str
    text: str


class FieldChange(NamedTuple):
    """A field that differs, by its path in the row."""

    name: str
    pieces: Sequence[Piece]


def between(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[FieldChange]:
    """List the fields that differ, in the order of the new row; objects are compared field by field.

    >>> [change] = between({"a": {"b": "one two"}}, {"a": {"b": "one three"}})
    >>> change.name, [tuple(piece) for piece in change.pieces]
    ('a.b', [('same', 'one '), ('removed', 'two'), ('added', 'three')])
    """
    before, after = dict(_flat(old)), dict(_flat(new))
    names = [*after, *(name for name in before if name not in after)]
    return [FieldChange(name, found) for name in names if (found := _change(name, before, after))]


def pieces(old: str, new: str) -> list[Piece]:
    """Compare two texts word by word."""
    a, b = _WORDS.findall(old), _WORDS.findall(new)
    if not a or not b or max(len(a), len(b)) > MOST_WORDS:
        return [Piece(kind, text) for kind, text in (("removed", old), ("added", new)) if text]
    found: list[Piece] = []
    for tag, start_a, end_a, start_b, end_b in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            found.append(Piece("same", "".join(a[start_a:end_a])))
        else:
            gone, come = "".join(a[start_a:end_a]), "".join(b[start_b:end_b])
            found += [Piece(kind, text) for kind, text in (("removed", gone), ("added", come)) if text]
    return found


def _flat(row: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{path}{name}.")
        else:
            yield path + name, value


def _change(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Piece]:
    old, new = ([value[name]] if name in value else [] for value in (before, after))
    if _json(old) == _json(new):
        return []
    # The text "1" and the number 1 read the same: then their JSON shows the difference.
    texts = ["".join(map(_text, values)) for values in (old, new)]
    return pieces(
        *(texts if texts[0] != texts[1] else ["".join(map(_json, values)) for values in (old, new)])
    )


def _text(value: Any) -> str:
    """Give a text as it is, and a list of texts with one line for each."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
