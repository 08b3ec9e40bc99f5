"""A place in a response goes in; how many negations govern the words that stand there comes out."""

from __future__ import annotations

import re
from typing import NamedTuple

from scoring.language.lexical import View, words


class Negated(NamedTuple):
    """The number of negations before a place, where the first of them starts, and the word right before."""

    negations: int
    start: int
    last_word: str


_REACH = 90
_NEGATORS = frozenset(
    words(
        "not no non never neither nor cannot without hardly scarcely barely isnt arent wasnt werent doesnt"
        " dont didnt cant couldnt wont wouldnt shouldnt hasnt havent hadnt aint"
    )
)
# "Fails to be compliant", "far from compliant".
_TWO_WORDS = {"fail": "to", "fails": "to", "failed": "to", "failing": "to", "far": "from"}
# "Not only compliant" and "no doubt compliant" negate nothing.
_HARMLESS = frozenset(words("only just merely simply doubt question problem"))
# After these a negation reaches to the end of its clause: "does not make the system compliant".
_RAISING = frozenset(
    words(
        "think believe consider considered mean say imply indicate suggest show demonstrate prove make makes"
        " render renders appear seem evidence indication proof guarantee ensure confirm conclude enough"
    )
)
_TRANSPARENT = frozenset(
    words("be been being yet to considered deemed regarded as quite very at all a an in any way")
)
# Where a clause ends, and with it what a negation before it governs.
_STOPS = re.compile(r"[.!?](?=\s)|[,;:()\n]|\s-+\s")
_CONJUNCTIONS = frozenset(
    words(
        "but however although though because therefore thus hence since while whereas and which if when"
        " unless"
    )
)
_NEAR = 2


def before(shown: View, place: int) -> Negated:
    """Count the negations that govern what stands at a place of the folded text.

    A negation governs what follows it in its clause, with at most two words of weight between; two
    cancel each other, which is for the caller to see from their number.

    >>> before(View("It is not fully compliant"), 16).negations
    1
    >>> before(View("It isn't non-compliant"), 13).negations
    2
    """
    clause = _STOPS.split(shown.text[max(0, place - _REACH) : place])[-1]
    # flat stands one character to the right of text.
    near = shown.flat[place + 1 - len(clause) : place + 1].split()
    if "n't" not in clause and _NEGATORS.isdisjoint(near) and _TWO_WORDS.keys().isdisjoint(near):
        return Negated(0, place, near[-1] if near else "")
    return _count(shown.flat, place, near)


def _count(flat: str, place: int, near: list[str]) -> Negated:
    count, start, weight, following = 0, place, 0, ""
    for word in reversed(near):
        if word in _CONJUNCTIONS:
            break
        if _negates(word, following) and (weight <= _NEAR or following in _RAISING):
            count, start = count + 1, flat.rfind(f" {word} ", 0, start + 1)
            if word in {"nor", "neither"}:
                break
        elif not (word in _TRANSPARENT or word.endswith("ly") or word in _NEGATORS):
            weight += 1
        following = word
    return Negated(count, max(start, 0), near[-1])


def _negates(word: str, following: str) -> bool:
    if word in _NEGATORS or word.endswith("n't"):
        return following not in _HARMLESS
    return word in _TWO_WORDS and _TWO_WORDS[word] == following
