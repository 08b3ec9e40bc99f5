"""A judge's words go in; the marks, the reasons and the confidence that can be found in them come out.

A judge may quote the answer that it marks, and that answer may hold marks that its writer would like to have.
So what stands in the answer is not the judge's, and of marks that differ none is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from scoring import mark_text
from scoring.language.text import without_reasoning

_LONGEST_READ = 50_000
_MOST_BRACES = 500
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_RATIONALE = ("rationale", "reasoning", "reason", "explanation", "justification", "comment")
_MARK_HOLDERS = ("marks", "scores", "ratings", "criteria", "evaluation")
_SEPARATOR = re.compile(r"\s*(?::|=|\||\s[-–—]\s)\s*")


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found; a criterion without a mark is missing, a confidence that is not said is None."""

    marks: Mapping[str, float] = field(default_factory=dict)
    rationale: str = ""
    confidence: float | None = None
    problem: str = ""


def find(text: str, names: Sequence[str], shown: str = "") -> Findings:
    """Look for JSON objects, in code fences and amid prose, and for `name: mark` lines around them.

    `shown` is what the judge was given to read. All marks that are found elsewhere must agree.
    """
    words = _tidied(_unquoted(without_reasoning(text)[:_LONGEST_READ]))
    objects = list(_objects(words)) if words.count("{") <= _MOST_BRACES else []
    seen = _bare(_tidied(shown))
    own = [found for found in objects if not seen or _bare(words[found.start : found.end]) not in seen]
    readings = [reading for found in own for reading in _from_object(found.value, names)]
    readings += _from_lines(_outside(words, objects), names, {_bare(line) for line in shown.split("\n")})
    return _together(readings, names)


def _together(readings: Sequence[Findings], names: Sequence[str]) -> Findings:
    marked = [reading for reading in readings if reading.marks]
    best = max(marked or readings, key=_fullness)
    contested = [name for name in names if len({one.marks[name] for one in marked if name in one.marks}) > 1]
    if contested:
        problem = f"It holds different marks for {', '.join(contested)}."
        return Findings(rationale=best.rationale, problem=problem)
    stated = [one.confidence for one in marked if one.confidence is not None]
    return replace(best, confidence=min(stated) if best.confidence is not None and stated else None)


def _fullness(findings: Findings) -> tuple[int, bool, bool]:
    return len(findings.marks), findings.confidence is not None, bool(findings.rationale)


def _unquoted(text: str) -> str:
    """Leave out the lines that are marked as a quotation."""
    return "\n".join(line for line in text.split("\n") if not line.lstrip().startswith(">"))


def _tidied(text: str) -> str:
    return _TRAILING_COMMA.sub(r"\1", text)


def _bare(text: str) -> str:
    return re.sub(r"\s+", "", text)


class _Object(NamedTuple):
    """A JSON object and where it stands."""

    value: Mapping[str, Any]
    start: int
    end: int


def _objects(text: str) -> Iterator[_Object]:
    """Yield every JSON object that begins at some brace and is inside no other."""
    decoder = json.JSONDecoder(strict=False)
    start = text.find("{")
    while start >= 0:
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield _Object(found, start, end)
        start = text.find("{", end)


def _outside(text: str, objects: Sequence[_Object]) -> str:
    """Give what is left of a text without its objects."""
    starts = [0, *(found.end for found in objects)]
    ends = [*(found.start for found in objects), len(text)]
    return "\n".join(text[start:end] for start, end in zip(starts, ends, strict=True))


def _from_object(found: Mapping[str, Any], names: Sequence[str]) -> list[Findings]:
    """Read the marks of an object, beside its other fields or under one of them."""
    flat = {_plain(name): value for name, value in found.items()}
    holders = [flat, *(flat[holder] for holder in _MARK_HOLDERS if isinstance(flat.get(holder), Mapping))]
    rationale = next((str(flat[name]) for name in _RATIONALE if flat.get(name)), "").strip()
    sure = mark_text.confidence(flat.get("confidence"))
    return [Findings(_marks(holder, names), rationale, sure) for holder in holders]


def _marks(holder: Mapping[str, Any], names: Sequence[str]) -> dict[str, float]:
    given = {_plain(name): value for name, value in holder.items()}
    read = {name: _mark(given.get(_plain(name))) for name in names}
    return {name: mark for name, mark in read.items() if mark is not None}


def _mark(given: Any) -> float | None:
    """Read a mark that may stand beside its own reason."""
    if isinstance(given, Mapping):
        inner = {_plain(name): value for name, value in given.items()}
        given = next((inner[name] for name in ("mark", "score", "rating", "value") if name in inner), None)
    return mark_text.mark(given)


def _from_lines(text: str, names: Sequence[str], shown: set[str]) -> list[Findings]:
    """Read `Accuracy: 4/5`, `**Accuracy** - good` and the like; a second line is a second reading."""
    first: dict[str, float] = {}
    again: list[Findings] = []
    sure: float | None = None
    for line in text.split("\n"):
        head, rest = _split(line)
        name = next((name for name in names if head and head == _plain(name)), None)
        mark = mark_text.mark(rest) if name and _bare(line) not in shown else None
        if name and mark is not None and name in first:
            again.append(Findings({name: mark}))
        elif name and mark is not None:
            first[name] = mark
        elif head == "confidence" and sure is None:
            sure = mark_text.confidence(rest)
    return [Findings(first, text.strip()[:2000], sure), *again]


def _split(line: str) -> tuple[str, str]:
    bare = line.strip().lstrip("-*#•|0123456789.) ").replace("*", "")
    parts = _SEPARATOR.split(bare, maxsplit=1)
    return (_plain(parts[0]), parts[1]) if len(parts) == 2 else ("", "")


def _plain(name: Any) -> str:
    return re.sub(r"[\W_]+", "_", str(name).lower()).strip("_")
