"""A place in a response goes in; how many negations govern the words that stand there comes out."""

from __future__ import annotations

import re
from typing import NamedTuple

from scoring.lexical import View, words


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
_BREAK = re.compile(
    r"[.!?]\s|[,;:()\n]|\s-+\s|\b(?:but|however|although|though|because|therefore|thus|hence|since|while|whereas"
    r"|and|which|if|when|unless)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\S+")
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
    begin = max(0, place - _REACH)
    # flat stands one character to the right of text.
    reach = shown.flat[begin : place + 1]
    near = reach.split()
    if "n't" not in reach and _NEGATORS.isdisjoint(near) and _TWO_WORDS.keys().isdisjoint(near):
        return Negated(0, place, near[-1] if near else "")
    for ended in _BREAK.finditer(shown.text, begin, place):
        begin = ended.end()
    found = [(match.group(), match.start() - 1) for match in _WORD.finditer(shown.flat, begin + 1, place + 1)]
    return _count(found, place)


def _count(found: list[tuple[str, int]], place: int) -> Negated:
    count, start, weight, following = 0, place, 0, ""
    for word, at in reversed(found):
        if _negates(word, following) and (weight <= _NEAR or following in _RAISING):
            count, start = count + 1, at
            if word in {"nor", "neither"}:
                break
        elif not (word in _TRANSPARENT or word.endswith("ly") or word in _NEGATORS):
            weight += 1
        following = word
    return Negated(count, start, found[-1][0] if found else "")


def _negates(word: str, following: str) -> bool:
    if word in _TWO_WORDS:
        return _TWO_WORDS[word] == following
    return (word in _NEGATORS or word.endswith("n't")) and following not in _HARMLESS
