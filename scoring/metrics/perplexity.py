"""Perplexity.

How surprised the model is by its own answer, as the number of equally likely tokens it chose from at each
step.

Formula: exp(mean negative log-likelihood of the answer's tokens, in nats).

None: there are no token log-probabilities, or one of them is not a number, or the result is too large for
one.

Bands: excellent fluency below 1.5, good below 3, potentially disfluent from there.

Weaknesses: it speaks of the model's certainty, not of truth: a fluent falsehood scores well. Greedy
answers and answers copied from the prompt score near 1. Tokenisers differ, so that models of different
families do not compare, and engines differ by up to 0.1 nat on the same weights. Log-probabilities from
an API, without the full logits behind them, make it an estimate.

>>> measure(EXAMPLE).value
2.0
>>> measure(Sample("Yes.", tokens=TokenScores(logprobs=[float("-inf")]))).why
'tokens.logprobs[0] is -inf, not a log-probability.'
"""

from __future__ import annotations

import math

from scoring.language import distributions
from scoring.language.distributions import Floats, TokenScoresError
from scoring.measurement import Band, Direction, Measurement, Sample, TokenScores

VERSION = 1
DIRECTION: Direction = "lower"
RANGE = (1.0, math.inf)
BANDS = (Band(1.0, "excellent fluency"), Band(1.5, "good quality"), Band(3.0, "potentially disfluent"))
INPUTS = ("tokens",)
EXAMPLE = Sample("Patch it.", tokens=TokenScores(logprobs=(math.log(0.25), math.log(0.5), math.log(1.0))))

ESTIMATE = "Estimate: from the server's log-probabilities, not from full logits."


def measure(sample: Sample) -> Measurement:
    """Average the log-probabilities of the response's tokens."""
    if sample.tokens is None or sample.tokens.logprobs is None:
        return Measurement(None, "The model's server gave no log-probabilities of the answer's tokens.")
    try:
        logprobs = distributions.read_logprobs(sample.tokens.logprobs, "tokens.logprobs")
    except TokenScoresError as error:
        return Measurement(None, str(error))
    # Whoever knows the entropies had the logits.
    exact = sample.tokens.logits is not None or getattr(sample.tokens, "entropies", None) is not None
    return _measurement(logprobs, exact=exact)


def score(logprobs: Floats) -> float | None:
    """Give the perplexity of checked log-probabilities; None for none, and where it would overflow."""
    if not logprobs.size:
        return None
    try:
        return math.exp(-distributions.mean(logprobs))
    except OverflowError:
        return None


def _measurement(logprobs: Floats, *, exact: bool) -> Measurement:
    value = score(logprobs)
    if value is None:
        return Measurement(
            None, "The answer has no tokens." if not logprobs.size else "Too large for a number."
        )
    loss = -distributions.mean(logprobs)
    return Measurement(
        value,
        f"exp({loss:.4f}), the mean over {logprobs.size} tokens.",
        {
            "tokens": logprobs.size,
            "mean_negative_log_likelihood": loss,
            "least_likely": float(logprobs.min()),
        },
        flags=() if exact else (ESTIMATE,),
    )
