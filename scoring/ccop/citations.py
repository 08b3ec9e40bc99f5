"""A response goes in; where it cites sections and clauses by their numbers comes out."""

from __future__ import annotations

import re
from typing import NamedTuple

from scoring.ccop import code
from scoring.language.lexical import View, words


class Citation(NamedTuple):
    """A number of a section or clause, and where it stands in the folded text with what introduces it."""

    number: str
    start: int
    end: int
    depth: int
    plural: bool


# What stands right before a number that is cited.
_INTRODUCTION = re.compile(
    r"(?:(?<![a-z])(?:(?P<any>(?:sub-?)?(?:clause|section)s?|cls?\.?|secs?\.?)|(?P<two>para(?:graph)?s?\.?)"
    r"|(?P<three>(?:requirement|control)s?)|(?P<name>ccop(?:[ -]v?2(?:\.0)?)?(?:'s)?))"
    r"(?:[\s*_`:#(\[]{1,4}(?:(?:no\.|number)\s?)?|(?<=\.))|(?P<sign>§§?)\s?)$"
)
_LONGEST_INTRODUCTION = 32
# How many parts a number must have after each kind of introduction: "control 5" is no citation.
_LEAST_DEPTH = {"any": 1, "sign": 1, "name": 2, "two": 2, "three": 3}
# Most introductions are one of these words and a space.
_PLAIN = {"clause": "any", "clauses": "any", "section": "any", "sections": "any", "ccop": "name"}
# Where none of these words stands before a number, there is no need to look closer.
_LAST_WORDS = frozenset(
    words(
        "clause clauses section sections subclause subclauses subsection subsections cl cls sec secs para"
        " paras paragraph paragraphs requirement requirements control controls ccop ccop's no number 2 2.0 v2"
        " v2.0"
    )
)
# A letter or a bracket behind a number, as in "5.1.3(a)".
ITEM = r"(?:[a-z](?![a-z])|\s?\([0-9a-z]{1,4}\))"
_LINK = re.compile(
    rf"{ITEM}?(?:(?:,|\sand|\sor|\sto|-)?{ITEM}){{0,4}}[\s*_`\])]{{0,4}}"
    r"(?:[,;/&+-]|and|or|to|through|as well as)(?:\s(?:and|or))?[\s*_`(\[]{0,4}"
)
_LONGEST_LINK = 40
# "12 months", "99.9 %" and "5G" are not numbers of clauses.
_QUANTITY = re.compile(
    r"[a-z](?=[A-Za-z0-9_])|[A-Z0-9_]|\s?%|\s?[kMGT]?(?:Hz|B)\b"
    r"|[\s-]?(?:per ?cent|minutes?|hours?|days?|weeks?|months?|years?|times)\b"
)
_LONGEST_NUMBER = 12


def citations(shown: View) -> list[Citation]:
    """Find every number that a word such as "clause" introduces, and those that go on with its list.

    >>> text = "Clauses 5.1.3(a), 5.1.4 and 5.2; TLS 1.2; CCoP 2.0 §6.1."
    >>> [cited.number for cited in citations(View(text))]
    ['5.1.3', '5.1.4', '5.2', '6.1']
    """
    found: list[Citation] = []
    last: Citation | None = None
    for start, end in shown.numbers():
        introduction = _introduction(shown, start)
        if introduction:
            last = _first(shown.text, (start, end), introduction)
        elif last:
            last = _next(shown.text, start, end, last)
        if last:
            found.append(last)
    return found


def _introduction(shown: View, start: int) -> tuple[str, int, bool] | None:
    """Find what introduces a number: its kind, where it begins, and whether it is in the plural."""
    text, flat = shown.text, shown.flat
    # flat stands one character to the right of text: flat[start] is what stands before the number.
    if flat[start] == " " != flat[start - 1]:
        word, mark = flat[flat.rfind(" ", 0, start) + 1 : start], text[start - 1]
        if word in _PLAIN and mark == " ":
            return _PLAIN[word], start - 1 - len(word), word.endswith("s")
        if word not in _LAST_WORDS and mark != "§":
            return None
    found = _INTRODUCTION.search(text[max(0, start - _LONGEST_INTRODUCTION) : start].lower())
    if not found:
        return None
    kind = str(found.lastgroup)
    return kind, start - len(found.group()), found[kind].rstrip(".").endswith(("s", "§§"))


def _first(text: str, place: tuple[int, int], introduction: tuple[str, int, bool]) -> Citation | None:
    (start, end), (kind, begun, plural) = place, introduction
    depth = text.count(".", start, end) + 1
    # "CCoP 2.0" is the name of the Code.
    if depth < _LEAST_DEPTH[kind] or (kind == "name" and text.endswith(".0", start, end)):
        return None
    if not _is_clause(text, start, end, depth):
        return None
    return Citation(code.number(text[start:end]), begun, end, depth, plural)


def _next(text: str, start: int, end: int, last: Citation) -> Citation | None:
    """Go on with "sections 3 and 4" and "clauses 5.1.3(a) and 5.2", and not with "clause 5.1.3 and 14"."""
    if start - last.end > _LONGEST_LINK or not _LINK.fullmatch(text, last.end, start):
        return None
    depth = text.count(".", start, end) + 1
    fits = last.plural and last.depth == 1 if depth == 1 else last.plural or depth in {last.depth, 3}
    if not fits or not _is_clause(text, start, end, depth):
        return None
    return Citation(code.number(text[start:end]), start, end, depth, last.plural)


def _is_clause(text: str, start: int, end: int, depth: int) -> bool:
    """Tell numbers of clauses from quantities and network addresses."""
    if end - start > _LONGEST_NUMBER or _QUANTITY.match(text, end):
        return False
    return depth <= 3 or "0" not in text[start:end].split(".")
