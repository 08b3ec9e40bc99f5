"""Invalid tokens.

Whether the output is corrupt: odd characters, stuttered words, runs of one letter, letters that are not
English.

Formula: 0.25 for any weird character + 0.25 for any word three times running + 0.25 for any run of four
or more of one letter + 0.25 of the share of letters outside A-Z. A character is weird if, after folding
(NFKC, plain quotes and dashes), it is neither printable ASCII nor whitespace.

None: the answer is blank.

Bands: clean at 0, minor issues up to 0.2, significant corruption from there.

Weaknesses: it takes ASCII for valid. One accented name, emoji, arrow or bullet counts 0.25, a good answer
in Chinese scores 0.5, and "no, no, no" is a stutter. A letter's case is ignored in stutters and runs.

>>> measure(EXAMPLE).value
0.5
>>> measure(Sample("\u201cUse TLS 1.3\u201d \u2013 it\u2019s safe.")).value
0.0
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from scoring.language.bare_words import bare_words_in
from scoring.language.text import Folded
from scoring.marking import Stretch, marks
from scoring.measurement import Band, Direction, Measurement, Sample

VERSION = 1
DIRECTION: Direction = "lower"
RANGE = (0.0, 1.0)
# Only 0 itself is clean, so the second band begins at the smallest number above it.
BANDS = (
    Band(0.0, "clean output"),
    Band(math.nextafter(0.0, 1.0), "minor issues"),
    Band(0.2, "significant corruption"),
)
INPUTS = ("response",)
EXAMPLE = Sample("The the the server said aaaaaah.")

_WEIRD = re.compile(r"[^\x20-\x7e\s]")
_RUN = re.compile(r"([^\W\d_])\1{3,}", re.IGNORECASE)
_LISTED = 50


def measure(sample: Sample) -> Measurement:
    """Look for the four signs of corruption in the response."""
    folded = Folded(sample.response)
    if not folded.text:
        return Measurement(None, "The answer is blank.")
    weird = Counter(_WEIRD.findall(folded.text))
    triples = list(_triples(folded))
    runs = list(_runs(folded.text))
    foreign, letters = _letters(folded.text)
    share = foreign / letters if letters else 0.0
    parts = {
        "weird_characters": 0.25 * bool(weird),
        "triple_words": 0.25 * bool(triples),
        "letter_runs": 0.25 * bool(runs),
        "non_english_letters": 0.25 * share,
    }
    return Measurement(
        math.fsum(parts.values()),
        f"{weird.total()} weird characters, {len(triples)} words three times running, {len(runs)} runs "
        f"of one letter, {foreign} of {letters} letters outside A-Z.",
        {
            "parts": parts,
            "weird_characters": [
                {"character": _name(character), "count": count}
                for character, count in weird.most_common(_LISTED)
            ],
            "triple_words": [folded.text[found.start : found.end] for found in triples[:_LISTED]],
            "letter_runs": [folded.text[found.start : found.end] for found in runs[:_LISTED]],
            "letters": letters,
            "letters_outside_a_to_z": foreign,
        },
        marks(folded, chain(triples, runs, _weird(folded.text)), "bad"),
    )


def _weird(text: str) -> Iterator[Stretch]:
    for match in _WEIRD.finditer(text):
        yield Stretch(match.start(), match.end(), f"Neither ASCII nor a space: {_name(match.group())}.")


def _triples(folded: Folded) -> Iterator[Stretch]:
    """Find words said three times or more, once each, however often they are repeated."""
    words = bare_words_in(folded)
    start = 0
    for index, word in enumerate(words):
        if word.text != words[start].text:
            start = index
        if index - start >= 2 and (index + 1 == len(words) or words[index + 1].text != word.text):
            yield Stretch(words[start].start, word.end, f"{index - start + 1} times the same word.")


def _runs(text: str) -> Iterator[Stretch]:
    for match in _RUN.finditer(text):
        yield Stretch(match.start(), match.end(), f"{match.end() - match.start()} times the same letter.")


def _letters(text: str) -> tuple[int, int]:
    """Count the letters outside A-Z, and all letters."""
    letters = "".join(filter(str.isalpha, text))
    return (0 if text.isascii() else sum(not letter.isascii() for letter in letters)), len(letters)


def _name(character: str) -> str:
    """Name a character, which may have no shape or may not be storable: a control, half of a pair."""
    return f"U+{ord(character):04X} {unicodedata.name(character, 'without a name')}"
