"""Accuracy: semantic equivalence.

Whether the response means what the expected response says, in whatever words. It is the accuracy of the
reasoning benchmarks.

Formula: with the sentence embeddings of all-MiniLM-L6-v2, the best cosine of each sentence of the expected
response among the sentences of the response; the mean of those, clipped to 0..1. Sentence by sentence,
because the model reads 256 tokens and no more.

None: the case has no expected response, or no sentence embeddings are at hand.

Weaknesses: the embeddings hardly see negation and numbers: "is compliant" and "is not compliant", "12
months" and "24 months" are almost the same to them. What the response says besides is not punished. A cosine
is not a share: unrelated sentences on the same subject often reach 0.3.

>>> measure(EXAMPLE).why
'No sentence embeddings are at hand.'
"""

from __future__ import annotations

from math import fsum
from typing import Any

from scoring.language import lexical
from scoring.language.cosines import cosines
from scoring.language.text import sentence_spans, sentences
from scoring.measurement import Band, Direction, Embed, Measurement, Sample, Span

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "far"), Band(0.5, "related"), Band(0.75, "close"))
INPUTS = ("response", "expected_response")
EXAMPLE = Sample(
    "Remote connections need multi-factor authentication. Vendors are no exception.",
    expected_response="Multi-factor authentication is required for remote access. This covers vendors.",
)


def measure(sample: Sample) -> Measurement:
    """Compare the response with the expected response, sentence by sentence."""
    expected = sentences(sample.expected_response)
    if not expected:
        return Measurement(None, "The case has no expected response.")
    if lexical.view(sample.response).blank:
        return lexical.BLANK
    if sample.embed is None:
        return Measurement(None, "No sentence embeddings are at hand.")
    return _compared(sample.response, expected, sample.embed)


def _compared(response: str, expected: list[str], embed: Embed) -> Measurement:
    places = sentence_spans(response)
    said = [response[start:end] for start, end in places]
    matrix = cosines(embed, expected, said)
    best = [int(index) for index in matrix.argmax(axis=1)]
    values = [float(matrix[row, column]) for row, column in enumerate(best)]
    mean = fsum(values) / len(values)
    return Measurement(
        min(1.0, max(0.0, mean)),
        f"The mean of the best cosines of {len(expected)} expected sentences is {mean:.2f}.",
        {
            "mean": mean,
            "pairs": [
                _pair(wanted, said[column], value)
                for wanted, column, value in zip(expected, best, values, strict=True)
            ],
        },
        [
            Span(
                *places[column],
                "good" if value >= BANDS[-1].start else "note",
                f"sentence {row}: {value:.2f}",
            )
            for row, (column, value) in enumerate(zip(best, values, strict=True), 1)
        ],
    )


def _pair(expected: str, said: str, cosine: float) -> dict[str, Any]:
    return {"expected": lexical.excerpt(expected), "said": lexical.excerpt(said), "cosine": round(cosine, 6)}
