"""A response and a label go in; where the response names the label or its opposite comes out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from scoring.ccop import negations
from scoring.language import lexical
from scoring.language.lexical import View

Named = Literal["label", "opposite", "neither"]


class Mention(NamedTuple):
    """A place of the folded text that speaks of a label, and what it names with its negations counted."""

    start: int
    end: int
    names: Named


class Match(NamedTuple):
    """How well a response states a label: 1.0, 0.7 or 0.0, and what that rests on.

    The label's words are looked for one by one only where neither it nor its opposite is named.
    """

    value: float
    mentions: Sequence[Mention]
    found: Sequence[str] = ()
    missing: Sequence[str] = ()


EXACT, PARTIAL, WRONG = 1.0, 0.7, 0.0

_OPPOSITES = (
    ("in scope", "out of scope"),
    ("in scope", "outside scope"),
    ("in scope", "outside the scope"),
    ("applicable", "inapplicable"),
    ("adequate", "inadequate"),
    ("sufficient", "insufficient"),
    ("effective", "ineffective"),
    ("complete", "incomplete"),
    ("correct", "incorrect"),
    ("secure", "insecure"),
    ("valid", "invalid"),
    ("permitted", "prohibited"),
    ("allowed", "disallowed"),
    ("allowed", "prohibited"),
    ("accepted", "rejected"),
    ("passed", "failed"),
    ("pass", "fail"),
    ("true", "false"),
    ("yes", "no"),
)
# "Partially compliant" is a label of its own, neither "compliant" nor its opposite.
_QUALIFIERS = frozenset(
    lexical.words(
        "partially partly partial largely mostly substantially conditionally nearly almost semi somewhat"
    )
)
# "No" is an answer when nothing of the same sentence follows it, or the answer goes on with its subject.
_ANSWER = re.compile(
    r"[\s*_\"')]*(?:$|[.,;:!?\n(-])|\s+(?:the|this|that|it|there|they|we|you|i|ccop)\b", re.I
)


def match(shown: View, label: str, others: Sequence[str] = (), percent: float = 60) -> Match:
    """Compare a response with a label, at three levels.

    Exact when the response names the label and not its opposite; partial when it names both, or neither
    and `percent` of the label's distinct words appear; else wrong. `others` are further labels that the
    case allows.

    >>> match(View("The setup is Non-Compliant."), "Compliant").value
    0.0
    >>> match(View("Not fully compliant."), "Non-Compliant").value
    1.0
    """
    mentions = sorted(_mentions(shown, label, others))
    named = {mention.names for mention in mentions}
    if "label" in named:
        return Match(PARTIAL if "opposite" in named else EXACT, mentions)
    if "opposite" in named:
        return Match(WRONG, mentions)
    words = dict.fromkeys(lexical.words(label))
    found = [word for word in words if f" {word} " in shown.flat]
    enough = found and 100 * len(found) >= percent * len(words)
    return Match(PARTIAL if enough else WRONG, mentions, found, [word for word in words if word not in found])


@lru_cache(maxsize=1024)
def forms(label: str) -> tuple[tuple[str, int], ...]:
    """List the phrases that speak of a label; 1 names it, -1 its opposite, as long as nothing negates them.

    >>> forms("Non-Compliant")
    (('compliant', -1), ('noncompliant', 1), ('uncompliant', 1))
    """
    words, sign = lexical.words(label), 1
    while len(words) > 1 and words[0] in {"non", "not", "no"}:
        words, sign = words[1:], -sign
    if words and words[0].startswith("non") and len(words[0]) > 6:
        words, sign = [words[0][3:], *words[1:]], -sign
    core = " ".join(words)
    opposites = [pair[1 - side] for pair in _OPPOSITES for side in (0, 1) if pair[side] == core]
    if core and core not in {"yes", "no"}:
        opposites += [f"non{core}", f"un{core}"]
    if core.startswith("un") and len(words[0]) > 6:
        opposites.append(core[2:])
    return ((core, sign), *((opposite, -sign) for opposite in opposites))


def _mentions(shown: View, label: str, others: Sequence[str]) -> Iterator[Mention]:
    taken = _taken(shown, label, others) if others else {}
    starts = list(taken)
    for phrase, sign in forms(label):
        for start, end in shown.occurrences(phrase):
            if phrase == "no" and not _ANSWER.match(shown.text, end):
                continue
            before = bisect_right(starts, start) - 1
            if before >= 0 and end <= taken[starts[before]]:
                yield Mention(start, end, "neither")
            else:
                yield _mention(shown, start, end, sign)


def _taken(shown: View, label: str, others: Sequence[str]) -> dict[int, int]:
    """Find the stretches that belong to other labels, in order."""
    core = forms(label)[0][0]
    return dict(sorted(span for other in others for span in _longer(shown, other, core)))


def _longer(shown: View, other: str, core: str) -> Iterator[tuple[int, int]]:
    """Find another label that holds the words of this one, such as "compliant with conditions"."""
    phrase = forms(other)[0][0]
    if phrase != core and f" {core} " in f" {phrase} ":
        yield from shown.occurrences(phrase)


def _mention(shown: View, start: int, end: int, sign: int) -> Mention:
    negated = negations.before(shown, start)
    if negated.last_word in _QUALIFIERS:
        return Mention(start, end, "neither")
    names: Named = "label" if sign * (-1) ** negated.negations > 0 else "opposite"
    return Mention(negated.start, end, names)
