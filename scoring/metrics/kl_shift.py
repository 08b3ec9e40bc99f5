"""KL divergence shift.

How far fine-tuning moved the model's choice of tokens from that of its base.

Formula: KL(tuned || base) in nats, per position of the answer, averaged. Both models see the same tokens;
only full logits will do.

None: the logits of either model are missing, do not match in shape, or hold what is not a number; or the
base gives no chance at all to a token that the tuned model may choose.

Bands: minimal shift below 5 (perhaps underfitted), healthy specialisation below 15, potential overfitting
from there. Moderate values are best.

Weaknesses: a shift has no sign, so a model that got worse may shift as healthily as one that got better.
A mean per position is small: many a good fine-tune stays below 1, and the bands are best read as
published. Models with different tokenisers cannot be compared.

>>> round(measure(EXAMPLE).value, 4)
0.0719
>>> measure(Sample("Yes.")).why
'It takes the full logits of the tuned model and of its base.'
"""

from __future__ import annotations

import math

import numpy as np

from scoring.language import distributions
from scoring.language.distributions import Floats, TokenScoresError
from scoring.measurement import Band, Direction, Measurement, Sample, TokenScores

VERSION = 1
DIRECTION: Direction = "moderate"
RANGE = (0.0, math.inf)
BANDS = (
    Band(0.0, "minimal shift"),
    Band(5.0, "healthy specialisation"),
    Band(15.0, "potential overfitting"),
)
HEALTHY = (5.0, 15.0)
INPUTS = ("tokens",)
EXAMPLE = Sample(
    "Block it.",
    tokens=TokenScores(
        logits=np.log([[0.5, 0.5], [0.9, 0.1]]),
        base_logits=np.log([[0.25, 0.75], [0.9, 0.1]]),
    ),
)


def measure(sample: Sample) -> Measurement:
    """Average the divergence of the tuned model from its base over the response's tokens."""
    try:
        shifts = _shifts(sample.tokens)
    except TokenScoresError as error:
        return Measurement(None, str(error))
    if shifts is None:
        return Measurement(None, "It takes the full logits of the tuned model and of its base.")
    return _measurement(shifts)


def _shifts(tokens: TokenScores | None) -> Floats | None:
    if tokens is None:
        return None
    if tokens.logits is not None and tokens.base_logits is not None:
        return distributions.divergences(
            distributions.read_logits(tokens.logits, "tokens.logits"),
            distributions.read_logits(tokens.base_logits, "tokens.base_logits"),
        )
    # Logits are too large to store: a gateway that had both may pass on the divergences instead.
    found = getattr(tokens, "divergences", None)
    return None if found is None else distributions.read_nats(found, "tokens.divergences")


def _measurement(shifts: Floats) -> Measurement:
    if not shifts.size:
        return Measurement(None, "The answer has no tokens.")
    if not np.isfinite(shifts).all():
        position = int(np.flatnonzero(~np.isfinite(shifts))[0])
        return Measurement(
            None, f"tokens.base_logits[{position}] rules out a token that the tuned model may choose."
        )
    value = distributions.mean(shifts)
    return Measurement(
        value,
        f"The mean KL(tuned || base) of {shifts.size} positions; the largest is {shifts.max():.3f} nats.",
        {"positions": shifts.size, "largest": float(shifts.max()), "divergences": shifts.tolist()},
    )
