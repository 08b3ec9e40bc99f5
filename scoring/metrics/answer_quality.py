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

from statistics import fmean

from scoring.measurement import Band, Direction, Measurement, Sample
from scoring.metrics import rubric

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
    try:
        value = rubric.score(judged)
    except rubric.MarkError as problem:
        return Measurement(None, str(problem))
    if value is None:
        return Measurement(None, "Nobody has judged the answer.")
    means = [fmean(marks.values()) for marks in judged if marks]
    missing = sorted({name for marks in judged if marks for name in CRITERIA if name not in marks})
    return Measurement(
        value,
        f"The mean mark of {len(means)} judge{'s' if len(means) > 1 else ''} is {4 * value + 1:.2f} of 5.",
        {"marks": judged, "means": means, "not_judged_by_all": missing},
        flags=(f"{len(missing)} of {len(CRITERIA)} criteria were not judged by all.",) if missing else (),
    )
