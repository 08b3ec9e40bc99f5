"""A response goes in; what it cites of the Code, and whether each section or clause exists, come out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from scoring.ccop import code
from scoring.lexical import View, view, words
from scoring.text import sentence_spans

Standing = Literal["exists", "fabricated", "said not to exist", "another document"]


class Reference(NamedTuple):
    """A citation: its number, where it stands in the folded text, and whether the Code has it."""

    number: str
    start: int
    end: int
    standing: Standing


@lru_cache(maxsize=8)
def references(response: str) -> tuple[Reference, ...]:
    """Find what a response cites of the Code, in order.

    >>> [(found.number, found.standing) for found in references("Clauses 5.1.3 and 5.99.1 require TLS 1.2.")]
    [('5.1.3', 'exists'), ('5.99.1', 'fabricated')]
    >>> references("There is no clause 5.99.")[0].standing
    'said not to exist'
    """
    shown = view(response)
    found = [
        Reference(cited.number, cited.start, cited.end, _standing(shown, cited)) for cited in _cited(shown)
    ]
    if "fabricated" in [reference.standing for reference in found]:
        found = _without_denied(shown.text, found)
    return tuple(found)


class _Citation(NamedTuple):
    number: str
    depth: int
    plural: bool
    start: int
    end: int


_MAX_DIGITS = 12
_DIGIT = re.compile(r"[0-9]")
# What stands right before a number that is cited, and the depths of number that it can introduce.
_INTRODUCTION = re.compile(
    r"(?:(?<![a-z])(?:"
    r"(?P<any>(?:sub-?)?(?:clause|section)s?|cls?\.?|secs?\.?)|(?P<two>para(?:graph)?s?\.?)"
    r"|(?P<three>(?:requirement|control)s?)"
    r"|(?P<name>ccop(?:[ -]v?2(?:\.0)?)?(?:'s)?))"
    r"(?:[\s*_`:#(\[]{1,4}(?:(?:no\.|number)\s?)?|(?<=\.))|(?P<sign>§§?)\s?)$"
)
_LONGEST_INTRODUCTION = 32
# The last words of an introduction: where none of them stands, there is no need to look closer.
_PLAIN = {"clause": "any", "clauses": "any", "section": "any", "sections": "any", "ccop": "name"}
_LAST_WORDS = frozenset(
    words(
        "clause clauses section sections subclause subclauses subsection subsections cl cls sec secs para"
        " paras paragraph paragraphs requirement requirements control controls ccop ccop's no number 2 2.0 v2"
        " v2.0"
    )
)
_LEAST_DEPTH = {"any": 1, "sign": 1, "name": 2, "two": 2, "three": 3}
_ITEMS = r"(?:[a-z](?![a-z])|\s?\([0-9a-z]{1,4}\))"
_LINK = re.compile(
    rf"{_ITEMS}?(?:(?:,|\sand|\sor|\sto|-)?{_ITEMS}){{0,4}}[\s*_`\])]{{0,4}}"
    r"(?:[,;/&+-]|and|or|to|through|as well as)(?:\s(?:and|or))?[\s*_`(\[]{0,4}"
)
_LONGEST_LINK = 40
# "12 months", "99.9 %" and "5G" are not numbers of clauses.
_QUANTITY = re.compile(
    r"[a-z](?=[A-Za-z0-9_])|[A-Z0-9_]|\s?%|\s?[kMGT]?(?:Hz|B)\b"
    r"|[\s-]?(?:per ?cent|minutes?|hours?|days?|weeks?|months?|years?|times)\b"
)


def _cited(shown: View) -> Iterator[_Citation]:
    """Read a number as a citation if something introduces it, or if it goes on with a list of them."""
    last: _Citation | None = None
    for start, end in shown.numbers():
        introduced = _introduced(shown, start)
        if introduced:
            last = _first(shown.text, (start, end), introduced)
        elif last:
            last = _next(shown.text, start, end, last)
        if last:
            yield last


def _first(text: str, place: tuple[int, int], introduced: tuple[str, int, bool]) -> _Citation | None:
    (start, end), (kind, begun, plural) = place, introduced
    depth = text.count(".", start, end) + 1
    if depth < _LEAST_DEPTH[kind] or (kind == "name" and text.endswith(".0", start, end)):
        return None
    if not _is_number_of_clause(text, start, end, depth):
        return None
    return _Citation(code.number(text[start:end]), depth, plural, begun, end)


def _next(text: str, start: int, end: int, last: _Citation) -> _Citation | None:
    """Go on with a list such as "clauses 5.1.3(a), 5.1.4 and 5.2"."""
    if start - last.end > _LONGEST_LINK or not _LINK.fullmatch(text, last.end, start):
        return None
    depth = text.count(".", start, end) + 1
    fits = last.plural and last.depth == 1 if depth == 1 else depth in {last.depth, 3}
    if not fits or not _is_number_of_clause(text, start, end, depth):
        return None
    return _Citation(code.number(text[start:end]), depth, last.plural, start, end)


def _introduced(shown: View, start: int) -> tuple[str, int, bool] | None:
    """Find what introduces a number: its kind, where it begins, and whether it is in the plural."""
    begin = max(0, start - _LONGEST_INTRODUCTION)
    # flat stands one character to the right of text.
    before = shown.flat[begin : start + 1]
    word = before.rstrip().rpartition(" ")[2]
    near = shown.text[max(0, start - 2) : start]
    if word in _PLAIN and near.endswith(f"{word[-1]} "):
        return _PLAIN[word], start - 1 - len(word), word.endswith("s")
    if not (word in _LAST_WORDS or near.endswith(".") or "§" in near):
        return None
    found = _INTRODUCTION.search(shown.text[begin:start].lower())
    if not found:
        return None
    kind = str(found.lastgroup)
    return kind, start - len(found.group()), found[kind].rstrip(".").endswith(("s", "§§"))


def _is_number_of_clause(text: str, start: int, end: int, depth: int) -> bool:
    """Tell numbers of clauses from quantities and network addresses."""
    if end - start > _MAX_DIGITS or _QUANTITY.match(text, end):
        return False
    return depth <= 3 or "0" not in text[start:end].split(".")


_THE_CODE = r"(?i:ccop|code of practice)|\bCode\b"
_ANOTHER = (
    r"ISO|IEC|NIST|SP 800|PCI|DSS|GDPR|PDPA|CIS|COBIT|SOC|HIPAA|NERC|CIP|MAS|TRM|IM8|RFC|ETSI|ENISA|NIS2"
    r"|NIS 2|ITIL|CSF|OWASP|FIPS|CCM|BSI|IEEE|DORA|Act|Directive|Regulation|Regulations|Bill|Ordinance"
)
_NAMES = frozenset(name.lower().split()[0] for name in _ANOTHER.split("|"))
_DOCUMENT = re.compile(rf"(?P<code>{_THE_CODE})|(?P<another>\b(?:{_ANOTHER})\b)")
_OWNER = re.compile(
    rf"{_ITEMS}{{0,3}}[\s*_`]{{0,3}}(?:(?P<of>of|from)|in|under|\()\s?(?P<owner>[^.;:\n]{{0,60}})"
)
_OWN_DOCUMENT = re.compile(
    r"(?:the|this|that|our|your|their|its|an?)\s(?:[\w-]+\s){0,2}"
    r"(?:report|polic(?:y|ies)|contract|agreement|SLA|plan|document|manual|standard|guide(?:line)?|proposal|question)\b"
)
_CLAUSE_BREAK = re.compile(r"[.!?]\s|[;\n]")


def _standing(shown: View, cited: _Citation) -> Standing:
    if _of_another_document(shown, cited):
        return "another document"
    return "exists" if code.exists(cited.number) else "fabricated"


def _of_another_document(shown: View, cited: _Citation) -> bool:
    """Tell whether the words after or before a citation give it to another document than the Code."""
    text = shown.text
    after = _OWNER.match(text, cited.end)
    if after:
        named = _DOCUMENT.search(after["owner"])
        if named:
            return named.lastgroup == "another"
        if after["of"] and _OWN_DOCUMENT.match(after["owner"]):
            return True
    begin = max(0, cited.start - 100)
    if _NAMES.isdisjoint(shown.flat[begin : cited.start + 1].split()):
        return False
    before = _CLAUSE_BREAK.split(text[begin : cited.end])[-1]
    names = [match.lastgroup for match in _DOCUMENT.finditer(before)]
    return bool(names) and names[-1] == "another"


# How a response says that the Code has no such clause. "Clause 5.99.1 is not optional" does not say so.
_FILLER = (
    r"(?:an?|any|the|such|specific|known|actual|explicit|separate|ccop(?:'s)?|2\.0|of|as|in|that|whether"
    r"|existence)"
)
_UNKNOWN = r"(?:find|locate|verify|confirm|identify|trace|recogni[sz]e|know|see)"
_SAID_BEFORE = re.compile(
    rf"\bno (?:{_FILLER} ){{0,3}}$"
    rf"|\b(?:not|never|unable to) (?:\w+ ){{0,2}}?(?:contain|include|have|define|list|aware|{_UNKNOWN})"
    rf" (?:{_FILLER} ){{0,4}}$"
    r"|\b(?:non-?existent|fabricated|fictitious|fictional|made-?up|invented|imaginary) (?:ccop )?$"
)
_SUBJECT = (
    r"(?:of|in|the|an?|ccop|2\.0|code|practice|which|that|this|it|there|such|sub|clause|section|provision|number"
    r"|does|do|did|is|are|was|were|has|have|had|be|been|could|can|would|may|might|i|we|you|but|however|unfortunately"
    r"|simply|actually|apparently|seems?|appears?|to|as|about|mentioned|cited|asked|says?|said)"
)
_SAID_AFTER = re.compile(
    rf"(?:\W*\b{_SUBJECT}\b){{0,12}}\W*(?:"
    rf"(?:not|never|unable to) (?:\w+ ){{0,2}}?(?:exist|appear|found|located|listed|present|verified"
    rf"|confirmed|identified|traced|recogni[sz]ed|known|{_UNKNOWN}|(?:part|one) of|among"
    r"|in (?:the )?(?:ccop|code)"
    r"|an? (?:real|valid|actual|existing|genuine|recogni[sz]ed|ccop|clause|section))\b"
    r"|non-?existent\b|fabricated\b|fictitious\b|fictional\b|made[ -]up\b|invented\b|imaginary\b|invalid\b"
    r"|no longer exists?\b|no such\b)"
)
_FARTHEST = 60


def _without_denied(text: str, found: list[Reference]) -> list[Reference]:
    """Let go of the numbers that the response itself says the Code does not have."""
    spans = sentence_spans(text)
    starts = [start for start, _ in spans]
    denied: set[str] = set()
    for reference in found:
        if reference.standing == "fabricated" and reference.number not in denied:
            denied |= {reference.number} if _is_denied(text, reference, spans, starts) else set()
    return [_released(reference) if reference.number in denied else reference for reference in found]


def _released(reference: Reference) -> Reference:
    return (
        reference._replace(standing="said not to exist") if reference.standing == "fabricated" else reference
    )


def _is_denied(text: str, reference: Reference, spans: list[tuple[int, int]], starts: list[int]) -> bool:
    index = max(bisect_right(starts, reference.start) - 1, 0)
    start, end = spans[index]
    before = _spelt_out(text[max(start, reference.start - _FARTHEST) : reference.start])
    after = _spelt_out(text[reference.end : min(end, reference.end + _FARTHEST)])
    if _SAID_BEFORE.search(before) or _SAID_AFTER.match(after):
        return True
    following = text[slice(*spans[index + 1])][:_FARTHEST] if index + 1 < len(spans) else ""
    return not _DIGIT.search(following) and bool(_SAID_AFTER.match(_spelt_out(following)))


def _spelt_out(piece: str) -> str:
    return piece.lower().replace("can't", "can not").replace("n't", " not").replace("cannot", "can not")
