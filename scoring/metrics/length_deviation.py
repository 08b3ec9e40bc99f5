"""Length deviation.

How far the answer's length is from the length that was expected, as a share of it.

Formula: |words - expected| / expected. Words are what stands between whitespace; a case expects 60 of
them if it does not say otherwise.

None: the expected length is zero, negative or not a number.

Bands: appropriate below 0.2, somewhat off below 0.5, far too long or too short from there.

Weaknesses: it cannot tell a full answer from padding of the same length. Too short stops at 1, too long
never stops. Languages written without spaces count as very few words.

>>> measure(EXAMPLE).value
0.25
>>> measure(Sample("Yes.", expected_length=0)).why
'The expected length is 0: it must be above zero.'
"""

from __future__ import annotations

import math

from scoring.language.text import fold
from scoring.measurement import Band, Direction, Measurement, Sample

VERSION = 1
DIRECTION: Direction = "lower"
RANGE = (0.0, math.inf)
BANDS = (Band(0.0, "appropriate"), Band(0.2, "somewhat off"), Band(0.5, "far too long or too short"))
INPUTS = ("response", "expected_length")
EXAMPLE = Sample("Segment the network.", expected_length=4)

DEFAULT_LENGTH = 60


def measure(sample: Sample) -> Measurement:
    """Compare the response's number of words with the expected one."""
    expected = DEFAULT_LENGTH if sample.expected_length is None else sample.expected_length
    if not (math.isfinite(expected) and expected > 0):
        return Measurement(None, f"The expected length is {expected:g}: it must be above zero.")
    actual = len(fold(sample.response).split())
    difference = abs(actual - expected)
    if not math.isfinite(difference / expected):
        return Measurement(None, f"The expected length is {expected:g}: too small to divide by.")
    more_or_fewer = "more" if actual > expected else "fewer"
    return Measurement(
        difference / expected,
        f"{actual} words, {difference:g} {more_or_fewer} than the {expected:g} expected.",
        {"words": actual, "expected": expected},
    )
