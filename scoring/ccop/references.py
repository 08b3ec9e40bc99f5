"""A response goes in; what it cites of the Code, and whether each section or clause exists, come out."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import Literal, NamedTuple

from scoring.ccop import code
from scoring.ccop.citations import ITEM, Citation, citations
from scoring.language.lexical import View, view
from scoring.language.text import sentence_spans

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
        Reference(cited.number, cited.start, cited.end, _standing(shown, cited)) for cited in citations(shown)
    ]
    if "fabricated" in [reference.standing for reference in found]:
        found = _without_denied(shown.text, found)
    return tuple(found)


_THE_CODE = r"(?i:ccop|code of practice)|\bCode\b"
_ANOTHER = (
    r"ISO|IEC|NIST|SP 800|PCI|DSS|GDPR|PDPA|CIS|COBIT|SOC|HIPAA|NERC|CIP|MAS|TRM|IM8|RFC|ETSI|ENISA|NIS2"
    r"|NIS 2|ITIL|CSF|OWASP|FIPS|CCM|BSI|IEEE|DORA|Act|Directive|Regulation|Regulations|Bill|Ordinance"
)
_NAMES = frozenset(name.lower().split()[0] for name in _ANOTHER.split("|"))
_DOCUMENT = re.compile(rf"(?P<code>{_THE_CODE})|(?P<another>\b(?:{_ANOTHER})\b)")
_OWNER = re.compile(
    rf"{ITEM}{{0,3}}[\s*_`]{{0,3}}(?:(?P<of>of|from)|in|under|\()\s?(?P<owner>[^.;:\n]{{0,60}})"
)
_OWN_DOCUMENT = re.compile(
    r"(?:the|this|that|our|your|their|its|an?)\s(?:[\w-]+\s){0,2}"
    r"(?:report|polic(?:y|ies)|contract|agreement|SLA|plan|document|manual|standard|guide(?:line)?|proposal|question)\b"
)
_DIGIT = re.compile(r"[0-9]")
_CLAUSE_BREAK = re.compile(r"[.!?]\s|[;\n]")


def _standing(shown: View, cited: Citation) -> Standing:
    if _of_another_document(shown, cited):
        return "another document"
    return "exists" if code.exists(cited.number) else "fabricated"


def _of_another_document(shown: View, cited: Citation) -> bool:
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
