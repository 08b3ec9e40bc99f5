"""Answer quality.

What a judge, another model or a person, thinks of the answer: relevance to the question, technical
correctness, clarity and structure, non-repetitiveness.

Formula: each judge marks the four criteria from 1 to 5; (mean mark - 1) / 4, averaged over the judges.

None: nobody has judged the answer, or a mark is not between 1 and 5.

Bands: none are published.

Weaknesses: it is an opinion. Small judge models are unreliable, models favour long answers and their own
family, and the mean hides that an answer may be clear and wrong. Compare the judge with people before
trusting it.

>>> measure(EXAMPLE).value
0.75
>>> measure(Sample("Yes.", marks=[{"relevance": 7}])).why
"marks[0]['relevance'] is 7: marks run from 1 to 5."
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from scoring.measurement import Band, Direction, Measurement, Sample

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (0.0, 1.0)
BANDS: tuple[Band, ...] = ()
INPUTS = ("marks",)

CRITERIA = ("relevance", "technical_correctness", "clarity_and_structure", "non_repetitiveness")

EXAMPLE = Sample(
    "Segment the network, then monitor it.", marks=[dict(zip(CRITERIA, (5, 4, 3, 4), strict=True))]
)


def measure(sample: Sample) -> Measurement:
    """Bring the judges' marks on the four criteria together."""
    judged = [{name: mark for name, mark in marks.items() if name in CRITERIA} for marks in sample.marks]
    if not any(judged):
        return Measurement(None, "Nobody has judged the answer.")
    for index, marks in enumerate(judged):
        if reason := _problem(index, marks):
            return Measurement(None, reason)
    means = [math.fsum(marks.values()) / len(marks) for marks in judged if marks]
    value = math.fsum((mean - 1) / 4 for mean in means) / len(means)
    missing = sorted({name for marks in judged if marks for name in CRITERIA if name not in marks})
    return Measurement(
        value,
        f"The mean mark of {len(means)} judge{'s' if len(means) > 1 else ''} is {4 * value + 1:.2f} of 5.",
        {"marks": judged, "means": means},
        flags=(f"Not judged by all: {', '.join(missing)}.",) if missing else (),
    )


def _problem(index: int, marks: Mapping[str, object]) -> str:
    for name, mark in marks.items():
        if not isinstance(mark, int | float) or not 1 <= mark <= 5:
            return f"marks[{index}][{name!r}] is {mark!r}: marks run from 1 to 5."
    return ""
