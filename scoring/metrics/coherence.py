"""Coherence.

Whether each sentence follows from the one before, as far as their topics tell.

Formula: the mean over neighbouring sentences of the cosine of their all-MiniLM-L6-v2 embeddings, not
clipped. A sentence ends at `.`, `!` or `?` (or their full-width forms) before a space, the end or a CJK
character, and at a line break. An answer of fewer than two sentences scores 0 and is flagged, because
there is nothing to compare.

None: no embedding model is at hand, or it gives no direction for a sentence.

Bands: disjointed below 0.2, loosely connected below 0.4, good below 0.6, excellent logical flow from
there.

Weaknesses: it sees topics, not logic. Two sentences that contradict each other score high, negation and
numbers hardly count, and saying the same sentence twice scores 1. The model reads the first 256 tokens of
a sentence. List markers such as "1." are sentences of their own and pull the mean down. A good answer of
one sentence scores 0. The example below is published with a value of about 0.65, which the model itself
does not give.

>>> round(measure(EXAMPLE).value, 2)
0.39
>>> measure(Sample("Firewalls filter traffic.", embed=embed)).flags
('Fewer than two sentences: 0 by definition.',)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.language.embeddings import embed
from scoring.language.text import sentence_spans
from scoring.measurement import Band, Direction, Measurement, Sample, Span

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (-1.0, 1.0)
BANDS = (
    Band(-1.0, "disjointed"),
    Band(0.2, "loosely connected"),
    Band(0.4, "good coherence"),
    Band(0.6, "excellent logical flow"),
)
INPUTS = ("response",)
EXAMPLE = Sample(
    "Firewalls filter network traffic. They examine packets based on rules. "
    "This helps prevent unauthorized access.",
    embed=embed,
)

_WEAK = 0.2


def measure(sample: Sample) -> Measurement:
    """Compare each sentence of the response with the next."""
    places = sentence_spans(sample.response)
    if len(places) < 2:
        return Measurement(
            0.0,
            f"{len(places)} sentences, and it takes two to compare: 0 by definition.",
            {"sentences": len(places), "pairs": []},
            flags=("Fewer than two sentences: 0 by definition.",),
        )
    if sample.embed is None:
        return Measurement(None, "No embedding model is at hand.")
    cosines = _neighbours(np.asarray(sample.embed(texts(sample)), np.float64))
    if not np.isfinite(cosines).all():
        return Measurement(None, "The embedding model gives no direction for a sentence.")
    return _measurement(sample.response, places, cosines.tolist())


def texts(sample: Sample) -> list[str]:
    """List what will be embedded, so that many responses can be embedded in one go beforehand."""
    return [sample.response[start:end] for start, end in sentence_spans(sample.response)]


def _neighbours(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(vectors, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        cosines: NDArray[np.float64] = (vectors[:-1] * vectors[1:]).sum(axis=1) / (lengths[:-1] * lengths[1:])
    return np.clip(cosines, -1.0, 1.0)


def _measurement(response: str, places: Sequence[tuple[int, int]], cosines: Sequence[float]) -> Measurement:
    value = math.fsum(cosines) / len(cosines)
    least = min(cosines)
    return Measurement(
        value,
        f"The mean cosine of {len(cosines)} pairs of neighbouring sentences; the least is {least:.2f}.",
        {"sentences": len(places), "pairs": _pairs(response, places, cosines)},
        _spans(places, cosines),
    )


def _pairs(
    response: str, places: Sequence[tuple[int, int]], cosines: Sequence[float]
) -> list[dict[str, Any]]:
    said = [response[start:end] for start, end in places]
    return [
        {"first": first, "second": second, "cosine": cosine}
        for first, second, cosine in zip(said, said[1:], cosines, strict=False)
    ]


def _spans(places: Sequence[tuple[int, int]], cosines: Sequence[float]) -> tuple[Span, ...]:
    """Mark the sentences that hardly follow from the one before."""
    return tuple(
        Span(start, end, "note", f"Cosine {cosine:.2f} to the sentence before.")
        for (start, end), cosine in zip(places[1:], cosines, strict=True)
        if cosine < _WEAK
    )
