"""A response and its case's forbidden claims go in; what the response makes up of the Code comes out."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from scoring.ccop import code, negations
from scoring.ccop.references import Reference, Standing, references
from scoring.language import lexical
from scoring.language.cosines import cosines
from scoring.language.lexical import View
from scoring.language.text import sentence_spans
from scoring.measurement import Measurement, Sample, Span

SIMILAR = 0.75
_SHOWN = 50
_DENIAL = re.compile(
    r"\b(?:false|incorrect|untrue|wrong|myth|misconception|unsupported|not (?:true|correct))\b", re.I
)
_KINDS: dict[Standing, Literal["good", "bad", "note"]] = {
    "exists": "good",
    "fabricated": "bad",
    "said not to exist": "note",
    "another document": "note",
}


class Claim(NamedTuple):
    """A forbidden claim that stands word for word in the response: its index and its places in the source."""

    which: int
    places: list[tuple[int, int]]


def claims_found(shown: View, claims: Sequence[str]) -> list[Claim]:
    """Find the forbidden claims whose words stand in a row in the response, case and punctuation ignored.

    >>> claims_found(View("Backups must be ENCRYPTED, always."), ["must be encrypted always", "weekly"])
    [Claim(which=0, places=[(8, 33)])]
    """
    found = []
    for index, claim in enumerate(claims):
        spans = shown.occurrences(lexical.phrase(claim), _SHOWN)
        if spans:
            found.append(Claim(index, [shown.span(start, end) for start, end in spans]))
    return found


class Paraphrase(NamedTuple):
    """A sentence that may say a forbidden claim in other words, and how similar the two are."""

    claim: int
    place: tuple[int, int]
    similarity: float


def measure(sample: Sample) -> Measurement:
    """Give 0 to a response with a forbidden claim or a clause that the Code does not have, else 1."""
    shown = lexical.view(sample.response)
    if shown.blank:
        return lexical.BLANK
    claims = claims_found(shown, sample.forbidden_claims)
    cited = references(sample.response)
    similar = paraphrases(sample, {claim.which for claim in claims})
    made_up = _fabricated(cited)
    return Measurement(
        0.0 if claims or made_up else 1.0,
        _why(sample, claims, made_up, cited),
        {
            "claims": _claims(sample, claims),
            "references": [_reference(reference) for reference in cited[:_SHOWN]],
            "fabricated": made_up,
            "paraphrases": [_paraphrase(sample, found) for found in similar],
        },
        _spans(shown, claims, cited, similar),
        _flags(sample, shown, claims, similar),
    )


def paraphrases(sample: Sample, found: Container[int] = ()) -> list[Paraphrase]:
    """Find the sentence nearest to each claim that is not found word for word, if it is near enough."""
    if sample.embed is None:
        return []
    claims = [which for which in range(len(sample.forbidden_claims)) if which not in found]
    if not claims:
        return []
    places = sentence_spans(sample.response)
    sentences = [sample.response[start:end] for start, end in places]
    matrix = cosines(sample.embed, [sample.forbidden_claims[which] for which in claims], sentences)
    limit = _similar(sample.settings)
    best = ((which, int(row.argmax()), float(row.max())) for which, row in zip(claims, matrix, strict=True))
    return [Paraphrase(which, places[near], cosine) for which, near, cosine in best if cosine >= limit]


def _similar(settings: Mapping[str, Any]) -> float:
    value = settings.get("paraphrase_similarity", SIMILAR)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"paraphrase_similarity: must be between 0 and 1, not {value!r}.")
    return float(value)


def _why(sample: Sample, claims: Sequence[Claim], made_up: Sequence[str], cited: Sequence[Reference]) -> str:
    faults = [f"makes the forbidden claim “{sample.forbidden_claims[claim.which]}”" for claim in claims[:3]]
    if made_up:
        faults.append(f"cites {', '.join(made_up[:5])}, which the Code does not have")
    return f"The response {' and '.join(faults)}." if faults else _all_well(sample, cited)


def _all_well(sample: Sample, cited: Sequence[Reference]) -> str:
    count = len(sample.forbidden_claims)
    existing = [reference.standing for reference in cited].count("exists")
    claims = f"None of {count} forbidden claims is made" if count else "The case forbids no claim"
    return f"{claims}, and {f'all {existing} clauses cited exist' if existing else 'no clause is cited'}."


def _fabricated(cited: Sequence[Reference]) -> list[str]:
    return list(dict.fromkeys([found.number for found in cited if found.standing == "fabricated"]))[:_SHOWN]


def _flags(
    sample: Sample, shown: View, claims: Sequence[Claim], similar: Sequence[Paraphrase]
) -> tuple[str, ...]:
    if not claims and not similar:
        return ()
    denied = (
        f"Forbidden claim {claim.which + 1} may be quoted only to deny it"
        for claim in claims
        if _is_denied(shown, lexical.phrase(sample.forbidden_claims[claim.which]))
    )
    possible = (f"Possible paraphrase of forbidden claim {found.claim + 1}" for found in similar)
    return (*denied, *possible)


def _is_denied(shown: View, phrase: str) -> bool:
    start, end = shown.occurrences(phrase, 1)[0]
    around = shown.text[max(0, start - 60) : end + 60]
    return negations.before(shown, start).negations > 0 or bool(_DENIAL.search(around))


def _claims(sample: Sample, claims: Sequence[Claim]) -> list[dict[str, Any]]:
    found = {claim.which for claim in claims}
    return [{"text": text, "found": index in found} for index, text in enumerate(sample.forbidden_claims)]


def _reference(reference: Reference) -> dict[str, str]:
    return {
        "number": reference.number,
        "heading": code.heading(reference.number),
        "standing": reference.standing,
    }


def _paraphrase(sample: Sample, found: Paraphrase) -> dict[str, Any]:
    return {
        "claim": found.claim + 1,
        "said": lexical.excerpt(sample.response[slice(*found.place)]),
        "similarity": round(found.similarity, 6),
    }


def _spans(
    shown: View, claims: Sequence[Claim], cited: Sequence[Reference], similar: Sequence[Paraphrase]
) -> list[Span]:
    spans = [_reference_span(shown, reference) for reference in cited[:_SHOWN]]
    for claim in claims:
        spans += [Span(*place, "bad", f"forbidden claim {claim.which + 1}") for place in claim.places]
    for found in similar:
        note = f"may say forbidden claim {found.claim + 1} ({found.similarity:.2f})"
        spans.append(Span(*found.place, "note", note))
    return sorted(spans) if claims or similar else spans


def _reference_span(shown: View, reference: Reference) -> Span:
    start, end = shown.span(reference.start, reference.end)
    return Span(start, end, _KINDS[reference.standing], f"{reference.number}: {reference.standing}")
