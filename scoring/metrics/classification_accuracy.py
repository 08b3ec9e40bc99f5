"""Classification accuracy.

Whether the response classifies what the case asks to classify, besides the case's main judgement: a
severity, a system's class, a second finding. The main label of B1, B2 and B21 is scored by label match
alone, so that no label counts twice.

Formula: each expected classification scores 1.0, 0.7 or 0.0 as label match does; the mean over all of them.
They are `expected_classification` of the case's evaluation criteria, one text or several, or else the
case's expected label.

None: the case names neither.

Weaknesses: those of label match. Several classifications are looked for in the whole response, so that
"severity high, likelihood low" and its reverse score alike.

>>> measure(EXAMPLE).value
0.5
"""

from __future__ import annotations

from math import fsum

from scoring.ccop import criteria
from scoring.language import lexical
from scoring.measurement import Band, Direction, Measurement, Sample
from scoring.metrics import label_match

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "wrong"), Band(0.7, "partial"), Band(1.0, "exact"))
INPUTS = ("response", "expected_label", "evaluation_criteria")
EXAMPLE = Sample(
    "The severity is High, and the system is not in scope.",
    evaluation_criteria={"expected_classification": ["High", "In scope"]},
)


def measure(sample: Sample) -> Measurement:
    """Compare the response with every expected classification."""
    expected = criteria.strings(sample.evaluation_criteria, criteria.CLASSIFICATION)
    expected = [label for label in expected or [sample.expected_label or ""] if lexical.phrase(label)]
    if not expected:
        return Measurement(None, "The case expects no classification.")
    if lexical.view(sample.response).blank:
        return lexical.BLANK
    measured = [label_match.against(sample, label) for label in expected]
    values = [one.value or 0.0 for one in measured]
    return Measurement(
        fsum(values) / len(values),
        " ".join(f"{value:g}: {one.why}" for value, one in zip(values, measured, strict=True)),
        {"classifications": [{"value": one.value, **one.evidence} for one in measured]},
        sorted({span for one in measured for span in one.spans}),
        tuple(dict.fromkeys(flag for one in measured for flag in one.flags)),
    )
