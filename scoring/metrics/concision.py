"""Concision.

Whether the response says it in about as many words as the expected response does. It is shown beside the
other metrics and has no weight: long answers may be right, and should not look better for being long.

Formula: 1 if the response has at most 1.5 times the words of the expected response; else those 1.5 times
divided by the response's words. The setting `concision_allowance` changes the 1.5.

None: the case has no expected response.

Weaknesses: a short wrong answer is concise, and so is one that leaves things out.

>>> measure(EXAMPLE).value
0.5
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.language import lexical
from scoring.measurement import Band, Direction, Measurement, Sample

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "verbose"), Band(0.5, "long"), Band(1.0, "concise"))
INPUTS = ("response", "expected_response")
EXAMPLE = Sample(
    "No, it is not, because nobody has reviewed it since last year.",
    expected_response="No, not compliant now.",
)

ALLOWANCE = 1.5


def measure(sample: Sample) -> Measurement:
    """Compare the response's length with the expected response's."""
    expected = lexical.length(sample.expected_response)
    if not expected:
        return Measurement(None, "The case has no expected response.")
    shown = lexical.view(sample.response)
    if shown.blank:
        return lexical.BLANK
    allowed, words = _allowance(sample.settings) * expected, shown.count()
    return Measurement(
        min(1.0, allowed / words) if words else 1.0,
        f"The response has {words} words, the expected one {expected}; {allowed:g} are free.",
        {"words": words, "expected_words": expected, "allowed": allowed},
    )


def _allowance(settings: Mapping[str, Any]) -> float:
    if "concision_allowance" not in settings:
        return ALLOWANCE
    value = settings["concision_allowance"]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise ValueError(f"concision_allowance: must be a number above 0, not {value!r}.")
    return float(value)
