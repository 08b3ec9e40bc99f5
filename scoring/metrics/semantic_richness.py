"""Semantic richness.

How varied the answer's vocabulary is (its type-token ratio).

Formula: distinct words / all words. Words are folded, in lower case, without punctuation.

None: the answer has no words.

Bands: limited below 0.3, moderate below 0.5, rich from there.

Weaknesses: the ratio falls with length, because a text uses up new words: compare answers of like length
only. A single word scores 1. It looks at spellings, not at meanings: random words are the richest of all.

>>> measure(EXAMPLE).value
0.75
>>> measure(Sample("...")).why
'The answer has no words.'
"""

from __future__ import annotations

from collections import Counter

from scoring.language.bare_words import bare_words
from scoring.measurement import Band, Direction, Measurement, Sample

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "limited vocabulary"), Band(0.3, "moderate"), Band(0.5, "rich vocabulary"))
INPUTS = ("response",)
EXAMPLE = Sample("Rotate keys; audit keys.")

_LISTED = 20


def measure(sample: Sample) -> Measurement:
    """Divide the response's distinct words by all of them."""
    counts = Counter(bare_words(sample.response))
    total = counts.total()
    if not total:
        return Measurement(None, "The answer has no words.")
    often = [{"word": word, "count": count} for word, count in counts.most_common(_LISTED) if count > 1]
    return Measurement(
        len(counts) / total,
        f"{len(counts)} of {total} words are distinct.",
        {"distinct": len(counts), "words": total, "most_used": often},
    )
