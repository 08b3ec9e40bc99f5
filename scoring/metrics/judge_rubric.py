"""Accuracy: rubric marks of the judge.

What a judge model thinks of the response, on the same criteria as people. It is the accuracy of the Tier 3
benchmarks (B12, B13, B20). Where a person has validated the verdict, the person's marks replace the judge's.

Formula: that of people's rubric marks: (x - 1) / 4 for a mark x from 1 to 5, mean over criteria, then over
whoever marked.

None: there is no readable verdict yet, or a mark is not from 1 to 5.

Weaknesses: a judge has tastes of its own: it favours long answers and those of its own family. At least 20 %
of its verdicts, and all with a confidence below 0.8, go to people; its bias is on the judge's page. Its
confidence is the least of what it states itself, what the spread of its votes allows (one minus half the
mean standard deviation) and, where the server tells, how likely the tokens of its marks were. A verdict that
cannot be read, or that holds different marks for one criterion, has confidence 0.

>>> measure(EXAMPLE).value
0.75
"""

from __future__ import annotations

from scoring.measurement import Band, Direction, Measurement, Sample
from scoring.metrics import rubric

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "poor"), Band(0.25, "weak"), Band(0.5, "fair"), Band(0.75, "good"))
INPUTS = ("marks",)
EXAMPLE = Sample(
    "An auditor would ask for the access review records of the last twelve months.",
    marks=[{"accuracy": 4, "completeness": 3, "practicality": 4, "clarity": 5}],
)


def measure(sample: Sample) -> Measurement:
    """Bring the marks of the judge, or of those who validated it, together."""
    return rubric.measured(
        sample, nobody="There is no readable verdict yet: it is awaiting judgement.", who="marker"
    )
