"""Repetition.

How much of the answer is phrases of three words that it has used elsewhere too.

Formula: positions whose 3-gram occurs more than once / all positions of 3-grams. Words are folded, in
lower case, without punctuation.

None: the answer has fewer than three words, so it has no 3-gram.

Bands: minimal below 0.1, acceptable below 0.3, problematic from there.

Weaknesses: it sees exact phrases only. "SQL injection allows … SQL injection is …" repeats two words and
never three, so it scores 0. Lists with a common beginning, quoted clauses and fixed terms of three words
count against an answer, and the longer it is, the likelier a repeat.

>>> measure(EXAMPLE).value
0.4
>>> score("The attack uses SQL injection. SQL injection is dangerous.", n=2)
0.25
>>> score("Patch now") is None
True
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from scoring.language.bare_words import bare_words, bare_words_in
from scoring.language.text import Folded
from scoring.marking import Stretch, marks
from scoring.measurement import Band, Direction, Measurement, Sample, Span

VERSION = 1
DIRECTION: Direction = "lower"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "minimal"), Band(0.1, "acceptable"), Band(0.3, "problematic"))
INPUTS = ("response",)
EXAMPLE = Sample("Patch the server. Patch the server now.")

_LISTED = 50

Gram = tuple[str, ...]


def measure(sample: Sample) -> Measurement:
    """Count the 3-grams of the response that occur more than once."""
    grams = ngrams(bare_words(sample.response), 3)
    if not grams:
        return Measurement(None, "The answer has fewer than three words.")
    repeated = {gram: count for gram, count in Counter(grams).items() if count > 1}
    positions = sum(repeated.values())
    return Measurement(
        positions / len(grams),
        f"{positions} of {len(grams)} phrases of three words occur more than once.",
        {
            "n": 3,
            "positions": len(grams),
            "repeated_positions": positions,
            "repeated": [
                {"phrase": " ".join(gram), "count": count} for gram, count in list(repeated.items())[:_LISTED]
            ],
            "repeated_distinct": len(repeated),
        },
        _spans(sample.response, grams, repeated) if repeated else (),
    )


def score(text: str, n: int = 3) -> float | None:
    """Give the share of repeated n-grams of any length, without the evidence."""
    if n < 1:
        raise ValueError(f"n must be at least 1, not {n}.")
    grams = ngrams(bare_words(text), n)
    repeated = sum(count for count in Counter(grams).values() if count > 1)
    return repeated / len(grams) if grams else None


def ngrams(words: Sequence[str], n: int) -> list[Gram]:
    """List the n-grams of a text, one for each position that has one."""
    return list(zip(*(words[shift:] for shift in range(n)), strict=False))


def _spans(response: str, grams: Sequence[Gram], repeated: dict[Gram, int]) -> tuple[Span, ...]:
    folded = Folded(response)
    words = bare_words_in(folded)
    stretches = (
        Stretch(words[first].start, words[last].end, "These words occur more than once, three in a row.")
        for first, last in _runs([index for index, gram in enumerate(grams) if gram in repeated])
    )
    return marks(folded, stretches, "bad")


def _runs(positions: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Join repeated 3-grams that touch: give the first and the last word of each run."""
    start = 0
    for index, position in enumerate(positions):
        if index + 1 == len(positions) or positions[index + 1] > position + 3:
            yield positions[start], position + 2
            start = index + 1
