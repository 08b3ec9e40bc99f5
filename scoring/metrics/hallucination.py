"""Hallucination.

How unsure the model was of its answer, and how much the answer sounds like it.

Formula: 0.7 x entropy + 0.2 x repetition + 0.1 x uncertainty, each between 0 and 1. Entropy is the mean
token entropy in nats / ln(size of the vocabulary). Repetition is the metric of that name, and 0 for an
answer of fewer than three words. Uncertainty is the number of distinct phrases among "maybe", "might",
"could be", "possibly", "unclear" and "not sure", as whole words / 3, at most 1.

None: neither full logits nor top log-probabilities are known, or one of them is not a number. From top
log-probabilities it is an estimate, with the probability outside the list taken for one more token: the
least that the entropy can be. If the server does not tell the size of its vocabulary, 100,000 is assumed.

Bands: confident and consistent below 0.2, some uncertainty below 0.4, high risk from there.

Weaknesses: despite its name, it never looks at facts. A model that is sure of a falsehood scores low, and
a careful "it might be" scores higher than a bold invention. Entropy is mostly choice of wording:
ln(vocabulary) is so large that common values lie below 0.2. Fine-tuning that makes a model surer lowers
the score.

>>> round(measure(EXAMPLE).value, 4)
0.5583
>>> measure(Sample("It is.")).why
"The model's server gave neither logits nor top log-probabilities."
"""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from scoring.language import distributions
from scoring.language.distributions import Floats, TokenScoresError
from scoring.language.text import Folded, fold
from scoring.marking import Stretch, marks
from scoring.measurement import Band, Direction, Measurement, Sample, Span, TokenScores
from scoring.metrics import repetition

VERSION = 1
DIRECTION: Direction = "lower"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "confident and consistent"), Band(0.2, "some uncertainty"), Band(0.4, "high risk"))
INPUTS = ("response", "tokens")
EXAMPLE = Sample(
    "It might be open.", tokens=TokenScores(logits=((0.0, 0.0, 0.0, 0.0), (9.0, 9.0, -99.0, -99.0)))
)

WEIGHTS = {"entropy": 0.7, "repetition": 0.2, "uncertainty": 0.1}
PHRASES = ("maybe", "might", "could be", "possibly", "unclear", "not sure")
ASSUMED_VOCABULARY = 100_000
ESTIMATE = "Estimate: from the server's top log-probabilities, not from full logits."
ASSUMED = "The size of the vocabulary is assumed."

_UNCERTAIN = re.compile(rf"\b(?:{'|'.join(PHRASES)})\b", re.IGNORECASE)


class Entropy(NamedTuple):
    """The entropy's share of the largest possible one, what it is made of, and what to flag."""

    value: float
    evidence: dict[str, Any]
    flags: tuple[str, ...]


def measure(sample: Sample) -> Measurement:
    """Weigh the token entropy, the repetition and the uncertain phrases of the response."""
    try:
        entropy = token_entropy(sample.tokens)
    except TokenScoresError as error:
        return Measurement(None, str(error))
    if entropy is None:
        return Measurement(None, "The model's server gave neither logits nor top log-probabilities.")
    parts = _parts(sample.response, entropy.value)
    return Measurement(
        _weighed(parts),
        " + ".join(f"{WEIGHTS[name]} x {part:.3f} {name}" for name, part in parts.items()) + ".",
        {"parts": parts, "weights": WEIGHTS, "phrases": phrases(sample.response), **entropy.evidence},
        _spans(sample.response),
        entropy.flags,
    )


def score(text: str, tokens: TokenScores | None) -> float | None:
    """Give the value without the evidence; an error says what is wrong with the token scores."""
    entropy = token_entropy(tokens)
    return None if entropy is None else _weighed(_parts(text, entropy.value))


def token_entropy(tokens: TokenScores | None) -> Entropy | None:
    """Find the mean token entropy as a share of ln(vocabulary); None if nothing is known of it."""
    if tokens is None:
        return None
    if tokens.logits is not None:
        return _from_logits(tokens.logits)
    # Logits are too large to store: a gateway that had them may pass on the entropies instead.
    if tokens.vocabulary is not None and (found := getattr(tokens, "entropies", None)) is not None:
        return _exact(
            distributions.read_nats(found, "tokens.entropies"), tokens.vocabulary, "tokens.vocabulary"
        )
    return None if tokens.top_logprobs is None else _from_top_logprobs(tokens)


def uncertainty(text: str) -> float:
    """Count the distinct uncertain phrases, three for certain uncertainty.

    >>> uncertainty("Maybe. It might. It MIGHT be mighty.")
    0.6666666666666666
    """
    return min(1.0, len(phrases(text)) / 3)


def phrases(text: str) -> list[str]:
    """List the distinct uncertain phrases of a text, in the order they come."""
    return list(dict.fromkeys(found.lower() for found in _UNCERTAIN.findall(fold(text))))


def _parts(text: str, entropy: float) -> dict[str, float]:
    return {
        "entropy": entropy,
        "repetition": repetition.score(text) or 0.0,
        "uncertainty": uncertainty(text),
    }


def _weighed(parts: dict[str, float]) -> float:
    return min(1.0, math.fsum(WEIGHTS[name] * part for name, part in parts.items()))


def _from_logits(given: Any) -> Entropy | None:
    logits = distributions.read_logits(given, "tokens.logits")
    return _exact(distributions.entropies(logits), logits.shape[1], "tokens.logits")


def _exact(entropies: Floats, vocabulary: int, field: str) -> Entropy | None:
    if not entropies.size:
        return None
    return Entropy(*_share(distributions.mean(entropies), vocabulary, field), ())


def _from_top_logprobs(tokens: TokenScores) -> Entropy | None:
    vocabulary = ASSUMED_VOCABULARY if tokens.vocabulary is None else tokens.vocabulary
    bounds = distributions.top_entropies(tokens.top_logprobs or (), vocabulary, "tokens.top_logprobs")
    if not bounds.least.size:
        return None
    value, evidence = _share(distributions.mean(bounds.least), vocabulary, "tokens.vocabulary")
    evidence["mean_entropy_at_most"] = distributions.mean(bounds.most)
    return Entropy(value, evidence, (ESTIMATE,) if tokens.vocabulary else (ESTIMATE, ASSUMED))


def _share(entropy: float, vocabulary: int, field: str) -> tuple[float, dict[str, Any]]:
    if vocabulary < 2:
        raise TokenScoresError(f"{field} has a vocabulary of {vocabulary}: there is nothing to be unsure of.")
    return min(1.0, entropy / math.log(vocabulary)), {"mean_entropy": entropy, "vocabulary": vocabulary}


def _spans(response: str) -> tuple[Span, ...]:
    folded = Folded(response)
    found = _UNCERTAIN.finditer(folded.text)
    return marks(folded, (Stretch(*match.span(), "An uncertain phrase.") for match in found), "bad")
