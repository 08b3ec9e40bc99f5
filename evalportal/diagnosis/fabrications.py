"""A scoring goes in; the answers that make regulation up come out, each in its own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from scoring import highlighting
from scoring.highlighting import Stretch
from scoring.language.text import without_reasoning
from scoring.measuring import SAFETY
from scoring.models import Response, Score, Scoring

# So much of the text stands around what is made up.
_AROUND = 240


class Fabrication(NamedTuple):
    """One answer: the forbidden claims it makes, the clauses it invents, and the words in which it does."""

    response: Response
    why: str
    claims: list[str]
    clauses: list[str]
    stretches: list[Stretch]
    cut_before: bool
    cut_after: bool


def find(scoring: Scoring, most: int) -> list[Fabrication]:
    """List the first answers that make something up; a blank one scores 0 as well, but makes nothing up."""
    scores = (
        Score.objects.filter(scoring=scoring, fabricated=True)
        .select_related("response__case")
        .only(
            "details",
            "values",
            "response__run_id",
            "response__content",
            "response__sample",
            "response__noise",
            "response__position",
            "response__case__key",
            "response__case__benchmark",
            "response__case__question",
        )
        .order_by("response__position")
    )
    found: list[Fabrication] = []
    for score in scores.iterator(chunk_size=200):
        if len(found) == most:
            break
        if detail := _detail(score):
            found.append(_fabrication(score.response, detail))
    return found


def _detail(score: Score) -> Mapping[str, Any] | None:
    """Find the metric that saw the fabrication, with its evidence."""
    details = (score.details.get(name) for name in SAFETY if score.values.get(name) == 0.0)
    return next((one for one in details if one and one["evidence"]), None)


def _fabrication(response: Response, detail: Mapping[str, Any]) -> Fabrication:
    evidence, text = detail["evidence"], without_reasoning(response.content)
    start, end = _window(len(text), [span for span in detail["spans"] if span[2] == "bad"])
    moved = [
        (max(first - start, 0), min(last, end) - start, kind, note)
        for first, last, kind, note in detail["spans"]
        if kind == "bad" and first < end and last > start
    ]
    return Fabrication(
        response=response,
        why=detail["why"],
        claims=[claim["text"] for claim in evidence.get("claims", ()) if claim["found"]],
        clauses=list(evidence.get("fabricated", ())),
        stretches=highlighting.stretches(text[start:end], moved),
        cut_before=start > 0,
        cut_after=end < len(text),
    )


def _window(length: int, spans: Sequence[Sequence[Any]]) -> tuple[int, int]:
    """Choose the part of a text that holds the first thing made up, and something around it."""
    if not spans:
        return 0, min(length, 2 * _AROUND)
    first = min(spans, key=lambda span: span[0])
    return max(0, first[0] - _AROUND), min(length, first[1] + _AROUND)
