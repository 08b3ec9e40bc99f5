"""Accuracy: rubric marks of people.

What reviewers think of the response: accuracy, completeness, practicality and clarity, each from 1 to 5. It
is the accuracy of the Tier 2 benchmarks (B7, B10, B14, B16).

Formula: a mark x becomes (x - 1) / 4; the mean over a reviewer's criteria, then over the reviewers. With
x / 5 the worst response would score 0.2 and could never fail a threshold of 15 %.

None: nobody has marked the response yet, which is then awaiting review, or a mark is not from 1 to 5.

Weaknesses: people differ, and their agreement is measured on its own page. A mean hides that a response may
be clear and wrong.

>>> measure(EXAMPLE).value
0.6875
>>> score([{"accuracy": 5, "clarity": 3}, {"accuracy": 1}])
0.375
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from math import fsum

from scoring.language import lexical
from scoring.measurement import Band, Direction, Measurement, Sample

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "poor"), Band(0.25, "weak"), Band(0.5, "fair"), Band(0.75, "good"))
INPUTS = ("marks",)
EXAMPLE = Sample(
    "Close the dormant accounts first, then review the access rights once a year.",
    marks=[
        {"accuracy": 4, "completeness": 3, "practicality": 4, "clarity": 5},
        {"accuracy": 4, "completeness": 2, "practicality": 4, "clarity": 4},
    ],
)

LOWEST, HIGHEST = 1, 5


class MarkError(ValueError):
    """A mark that is not a number from 1 to 5; the message names it."""


def measure(sample: Sample) -> Measurement:
    """Bring the reviewers' marks together."""
    return measured(
        sample, nobody="Nobody has marked the response yet: it is awaiting review.", who="reviewer"
    )


def measured(sample: Sample, nobody: str, who: str) -> Measurement:
    """Measure marks of any kind of marker; a blank response needs none."""
    if lexical.view(sample.response).blank:
        return lexical.BLANK
    try:
        value = score(sample.marks)
    except MarkError as problem:
        return Measurement(None, str(problem))
    if value is None:
        return Measurement(None, nobody)
    reviews = [dict(marks) for marks in sample.marks if marks]
    markers = f"{len(reviews)} {who}{'s' if len(reviews) > 1 else ''}"
    return Measurement(
        value,
        f"The mean mark of {markers} is {4 * value + 1:.2f} of 5.",
        {"marks": reviews, "scores": [_review(marks) for marks in reviews]},
    )


def score(ratings: Sequence[Mapping[str, float]]) -> float | None:
    """Turn marks, one mapping of criterion to mark per reviewer, into a score; None without any mark."""
    for number, marks in enumerate(ratings):
        for criterion, mark in marks.items():
            _check(number, criterion, mark)
    reviews = [_review(marks) for marks in ratings if marks]
    return fsum(reviews) / len(reviews) if reviews else None


def _review(marks: Mapping[str, float]) -> float:
    return fsum((mark - LOWEST) / (HIGHEST - LOWEST) for mark in marks.values()) / len(marks)


def _check(number: int, criterion: str, mark: object) -> None:
    fine = isinstance(mark, int | float) and not isinstance(mark, bool) and math.isfinite(mark)
    if not fine or not LOWEST <= mark <= HIGHEST:  # type: ignore[operator]
        raise MarkError(f"marks[{number}][{criterion!r}] is {mark!r}: marks run from {LOWEST} to {HIGHEST}.")
