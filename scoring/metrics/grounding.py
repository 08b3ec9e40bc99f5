"""Grounding.

Whether the response stays with what the Code says: it makes none of the case's forbidden claims and cites
no clause that does not exist. Every benchmark but B21 has it.

Formula: 0.0 if a forbidden claim's words stand in a row in the response (case and punctuation ignored), or
if a section or clause of the Code is cited that the Code does not have, unless the response says that it
does not exist; else 1.0. Hedging ("depends on the implemented controls") is never penalised.

None: never; a case without forbidden claims still has its clauses checked.

Weaknesses: a claim in other words passes; where sentence embeddings are at hand, a similar sentence is
flagged for a person. A claim that is quoted to be denied counts as made, and is flagged. A clause that
exists but says something else passes. References to other documents ("ISO 27001 clause 9.1", "section 12 of
the Act") are left alone.

>>> measure(EXAMPLE).why
'The response cites 5.99.1, which the Code does not have.'
"""

from __future__ import annotations

from scoring.ccop import fabrications
from scoring.measurement import Band, Direction, Measurement, Sample

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "fabricated"), Band(1.0, "grounded"))
INPUTS = ("response", "forbidden_claims")
EXAMPLE = Sample(
    "Clause 5.1.3 covers access rights, and Clause 5.99.1 asks for retina scans.",
    forbidden_claims=["CCoP requires daily penetration tests"],
)


def measure(sample: Sample) -> Measurement:
    """Look for forbidden claims and for clauses that do not exist."""
    return fabrications.measure(sample)
