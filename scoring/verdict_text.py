"""A judge's words go in; the marks, the reasons and the confidence that can be found in them come out."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring.language.text import without_reasoning

_LONGEST_READ = 50_000
_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5,
    "very poor": 1, "poor": 1, "weak": 2, "fair": 3, "acceptable": 3, "adequate": 3, "good": 4,
    "very good": 5, "excellent": 5, "outstanding": 5,
}  # fmt: skip
_NUMBER = r"[-+]?\d+(?:[.,]\d+)?"
_SHARE = re.compile(rf"({_NUMBER})\s*(?:/|out of|of)\s*({_NUMBER})", re.IGNORECASE)
_PERCENT = re.compile(rf"({_NUMBER})\s*%")
_PLAIN = re.compile(_NUMBER)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_RATIONALE = ("rationale", "reasoning", "reason", "explanation", "justification", "comment")
_MARK_HOLDERS = ("marks", "scores", "ratings", "criteria", "evaluation")


@dataclass
class Findings:
    """What was found; a criterion without a mark is missing, a confidence that is not said is None."""

    marks: dict[str, float] = field(default_factory=dict)
    rationale: str = ""
    confidence: float | None = None


def find(text: str, names: Sequence[str]) -> Findings:
    """Look for a JSON object, in code fences and amid prose; for `name: mark` lines if there is none."""
    words = without_reasoning(text)[:_LONGEST_READ]
    found = [_from_object(candidate, names) for candidate in _objects(words)]
    best = max(found, key=_fullness, default=Findings())
    return best if best.marks else _from_lines(words, names)


def _fullness(findings: Findings) -> tuple[int, bool, bool]:
    return len(findings.marks), findings.confidence is not None, bool(findings.rationale)


def number(given: Any) -> float | None:
    """Read a mark: 4, "4", "4/5", "8 out of 10", "80%", "good".

    >>> number("4/5"), number("8/10"), number("three"), number("80%"), number(True), number("none")
    (4.0, 4.0, 3.0, 4.0, None, None)
    """
    if isinstance(given, bool) or given is None:
        return None
    if isinstance(given, int | float):
        return float(given) if math.isfinite(given) else None
    return _number_in(str(given)) if isinstance(given, str) else None


def _number_in(text: str) -> float | None:
    if share := _SHARE.search(text):
        return _of_five(_float(share[1]), _float(share[2]))
    if percent := _PERCENT.search(text):
        return _of_five(_float(percent[1]), 100)
    if plain := _PLAIN.search(text):
        return _float(plain[0])
    word = text.strip().strip(".*_\"'").lower()
    return float(_WORDS[word]) if word in _WORDS else None


def _of_five(mark: float, most: float) -> float | None:
    return max(1.0, 5 * mark / most) if most > 0 and mark >= 0 else None


def _float(text: str) -> float:
    return float(text.replace(",", "."))


def _objects(text: str) -> Iterator[Mapping[str, Any]]:
    """Yield every JSON object that begins at some brace, the outermost first; trailing commas are fine."""
    decoder = json.JSONDecoder(strict=False)
    for tidy in (text, _TRAILING_COMMA.sub(r"\1", text)):
        start = tidy.find("{")
        tries = 0
        while start >= 0 and tries < 50:
            tries += 1
            try:
                found, end = decoder.raw_decode(tidy, start)
            except (ValueError, RecursionError):
                end = start + 1
            else:
                if isinstance(found, dict):
                    yield found
            start = tidy.find("{", end)


def _from_object(found: Mapping[str, Any], names: Sequence[str]) -> Findings:
    flat = {_plain(name): value for name, value in found.items()}
    holders = [flat, *(flat[holder] for holder in _MARK_HOLDERS if isinstance(flat.get(holder), Mapping))]
    findings = Findings()
    for holder in holders:
        given = {_plain(name): value for name, value in holder.items()}
        for name in names:
            mark = _mark(given.get(_plain(name)))
            if mark is not None:
                findings.marks[name] = mark
    findings.rationale = next((str(flat[name]) for name in _RATIONALE if flat.get(name)), "").strip()
    findings.confidence = _confidence(flat.get("confidence"))
    return findings


def _mark(given: Any) -> float | None:
    """Read a mark that may stand beside its own reason."""
    if isinstance(given, Mapping):
        inner = {_plain(name): value for name, value in given.items()}
        given = next((inner[name] for name in ("mark", "score", "rating", "value") if name in inner), None)
    return number(given)


def _confidence(given: Any) -> float | None:
    """Read 0.9, "0.9", "90%", 90 or "high" as a share of one; what makes no sense was not said."""
    if isinstance(given, str):
        word = given.strip().strip(".").lower()
        if word in {"low", "medium", "high"}:
            return {"low": 0.3, "medium": 0.6, "high": 0.9}[word]
        found = _PLAIN.search(given)
        value = _float(found[0]) if found else math.nan
        value = value / 100 if "%" in given else value
    else:
        value = float(given) if isinstance(given, int | float) and not isinstance(given, bool) else math.nan
    value = value / 100 if 1 < value <= 100 else value
    return value if 0 <= value <= 1 else None


def _from_lines(text: str, names: Sequence[str]) -> Findings:
    """Read `Accuracy: 4/5`, `**Accuracy** - good` and the like, one criterion a line."""
    findings = Findings(rationale=text.strip()[:2000])
    for line in text.splitlines():
        head, separator, rest = _split(line)
        if not separator:
            continue
        name = next((name for name in names if _plain(head) == _plain(name)), None)
        mark = number(rest) if name else None
        if name and name not in findings.marks and mark is not None:
            findings.marks[name] = mark
        elif _plain(head) == "confidence" and findings.confidence is None:
            findings.confidence = _confidence(rest)
    return findings


def _split(line: str) -> tuple[str, str, str]:
    bare = line.strip().lstrip("-*#•0123456789.) ").replace("*", "")
    for separator in (":", "=", " - ", " – ", "|"):
        if separator in bare:
            return bare.partition(separator)
    return bare, "", ""


def _plain(name: Any) -> str:
    return re.sub(r"[^a-z]+", "_", str(name).lower()).strip("_")
