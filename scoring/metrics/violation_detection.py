"""Violation detection.

How many of the violations that the case hides in its scenario the response points out.

Formula: violations found / violations expected, which are `expected_violations` of the case's evaluation
criteria. A violation is found as a key fact is covered: at least 60 % of its terms (distinct words of more
than 4 characters, or all words if none is that long) begin a word of the response.

None: the case names no violations.

Weaknesses: those of key-fact recall. It does not count violations that the response sees where there are
none; grounding and people do.

>>> measure(EXAMPLE).value
0.5
"""

from __future__ import annotations

from scoring.ccop import criteria, key_terms
from scoring.language import lexical
from scoring.measurement import Band, Direction, Measurement, Sample

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "none or few"), Band(0.5, "half or more"), Band(1.0, "all"))
INPUTS = ("response", "evaluation_criteria")
EXAMPLE = Sample(
    "The shared administrator accounts breach the Code.",
    evaluation_criteria={"expected_violations": ["Shared administrator accounts", "Logs kept too briefly"]},
)


def measure(sample: Sample) -> Measurement:
    """Count the expected violations that the response points out."""
    expected = criteria.strings(sample.evaluation_criteria, criteria.VIOLATIONS)
    if not expected:
        return Measurement(None, "The case names no violations to detect.")
    shown = lexical.view(sample.response)
    if shown.blank:
        return lexical.BLANK
    percent = key_terms.percent_of(sample.settings)
    return key_terms.coverage(shown, expected, "violations", percent)
