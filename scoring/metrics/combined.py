"""Combined score.

One number to rank models by, out of the three core metrics.

Formula: coherence - hallucination - 0.01 x perplexity, not rounded.

None: one of the three is None.

Bands: poor below 0, marginal below 0.1, good below 0.3, excellent from there.

Weaknesses: it inherits those of its parts, and none of them looks at facts: an answer can score well and
be wrong. Coherence rules it, because the other two are mostly small; one sentence has coherence 0 and so
scores below 0.

>>> round(score(0.450, 0.236, 1.189), 3)
0.202
>>> round(score(0.049, 0.091, 1.252), 3)
-0.055
>>> score(0.450, None, 1.189) is None
True
"""

from __future__ import annotations

import math

from scoring.measurement import Band, Direction, Measurement, Sample, TokenScores
from scoring.metrics import coherence, hallucination, perplexity

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (-math.inf, 0.99)
BANDS = (Band(-math.inf, "poor"), Band(0.0, "marginal"), Band(0.1, "good"), Band(0.3, "excellent"))
INPUTS = ("response", "tokens")
EXAMPLE = Sample(
    coherence.EXAMPLE.response,
    tokens=TokenScores(logprobs=(-0.2, -0.1, -0.3), logits=((4.0, 0.0, 0.0, 0.0),) * 3),
    embed=coherence.EXAMPLE.embed,
)


def measure(sample: Sample) -> Measurement:
    """Measure the three core metrics of the response and combine them."""
    parts = {
        "coherence": coherence.measure(sample),
        "hallucination": hallucination.measure(sample),
        "perplexity": perplexity.measure(sample),
    }
    values = {name: part.value for name, part in parts.items()}
    value = score(**values)
    if value is None:
        reasons = [f"{name}: {part.why}" for name, part in parts.items() if part.value is None]
        return Measurement(None, f"Not all parts are known. {' '.join(reasons)}", {"parts": values})
    return Measurement(
        value,
        f"{values['coherence']:.3f} coherence - {values['hallucination']:.3f} hallucination "
        f"- 0.01 x {values['perplexity']:.3f} perplexity.",
        {"parts": values},
        flags=tuple(dict.fromkeys(flag for part in parts.values() for flag in part.flags)),
    )


def score(coherence: float | None, hallucination: float | None, perplexity: float | None) -> float | None:
    """Combine three values; None if one of them is."""
    if coherence is None or hallucination is None or perplexity is None:
        return None
    return coherence - hallucination - 0.01 * perplexity
