"""Prompt copying.

How much of the question comes back in the answer, word by word.

Formula: distinct words of the question that are in the answer / distinct words of the question. Words are
folded, in lower case, without punctuation.

None: the question has no words.

Bands: unique content below 0.3, some of the question below 0.6, mostly an echo from there.

Weaknesses: it counts words, whatever their order or use. "The", "is" and "of" count like "ransomware", a
good answer has to name what it is about, and a long answer covers a short question by chance.

>>> measure(EXAMPLE).value
0.4
>>> measure(Sample("It filters traffic.", question="?")).why
'The question has no words.'
"""

from __future__ import annotations

from collections.abc import Collection

from scoring.language.bare_words import bare_words, bare_words_in
from scoring.language.text import Folded
from scoring.marking import Stretch, marks
from scoring.measurement import Band, Direction, Measurement, Sample, Span

VERSION = 1
DIRECTION: Direction = "lower"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "unique content"), Band(0.3, "some of the question"), Band(0.6, "mostly an echo"))
INPUTS = ("response", "question")
EXAMPLE = Sample("The firewall filters traffic by rules.", question="What does the firewall do?")


def measure(sample: Sample) -> Measurement:
    """Look for the question's words in the response."""
    asked = list(dict.fromkeys(bare_words(sample.question)))
    if not asked:
        return Measurement(None, "The question has no words.")
    answered = set(bare_words(sample.response))
    copied = [word for word in asked if word in answered]
    return Measurement(
        len(copied) / len(asked),
        f"{len(copied)} of the question's {len(asked)} distinct words are in the answer.",
        {"copied": copied, "not_copied": [word for word in asked if word not in answered]},
        _spans(sample.response, set(copied)) if copied else (),
    )


def _spans(response: str, copied: Collection[str]) -> tuple[Span, ...]:
    folded = Folded(response)
    found = (word for word in bare_words_in(folded) if word.text in copied)
    return marks(folded, (Stretch(word.start, word.end, "A word of the question.") for word in found), "note")
