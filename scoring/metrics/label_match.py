"""Accuracy: label match.

Whether the response gives the label that its case expects, such as "Compliant" or "Not applicable". It is
the accuracy of the classification benchmarks B1 and B2, and of B21 where a case has a label.

Formula: 1.0 (exact) if the label's words stand in a row, not negated, and the opposite is not named too;
0.7 (partial) if label and opposite are both named, or if neither is and at least 60 % of the label's
distinct words appear; else 0.0. "Not compliant", "noncompliant" and "isn't compliant" name the opposite of
"Compliant"; two negations cancel; "partially compliant" is a label of its own.

None: the case has no expected label.

Weaknesses: it reads words, not arguments. A label that is named only to be weighed ("to be compliant, the
owner would have to…") counts as given, one in other words ("CCoP applies" for "Applicable") does not; the
latter is flagged. Negations are looked for before the label, in its own clause.

>>> measure(EXAMPLE).value
1.0
>>> measure(Sample("Compliant with 5.1.3, but not compliant with 5.2.1.", expected_label="Compliant")).value
0.7
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from scoring.ccop import criteria, labels
from scoring.language import lexical
from scoring.measurement import Band, Direction, Measurement, Sample, Span

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "wrong"), Band(0.7, "partial"), Band(1.0, "exact"))
INPUTS = ("response", "expected_label")
EXAMPLE = Sample(
    "The operator keeps no access reviews, so the system isn't compliant with Clause 5.1.3.",
    expected_label="Non-Compliant",
)

_SHOWN = 50
_KINDS: dict[labels.Named, Literal["good", "bad", "note"]] = {
    "label": "good",
    "opposite": "bad",
    "neither": "note",
}
_OTHER_WORDS = {
    "compliant": ("comply", "complies", "complied", "compliance", "noncompliance"),
    "applicable": ("apply", "applies", "applied"),
    "in scope": ("within scope", "within the scope"),
    "out of scope": ("within scope", "within the scope"),
}


def measure(sample: Sample) -> Measurement:
    """Compare the response with the case's expected label."""
    label = sample.expected_label or ""
    if not lexical.phrase(label):
        return Measurement(None, "The case has no expected label.")
    return against(sample, label)


def against(sample: Sample, label: str) -> Measurement:
    """Compare the response with any label."""
    shown = lexical.view(sample.response)
    if shown.blank:
        return lexical.BLANK
    others = criteria.strings(sample.evaluation_criteria, criteria.LABELS)
    match = labels.match(shown, label, others)
    said = _said(shown, match)
    return Measurement(
        match.value,
        _why(label, match, said),
        _evidence(label, match, said),
        [
            Span(*shown.span(found.start, found.end), _KINDS[found.names], f"names {_noun(found.names)}")
            for found in match.mentions[:_SHOWN]
        ],
        _flags(shown, label, match),
    )


def _said(shown: lexical.View, match: labels.Match) -> dict[labels.Named, list[str]]:
    """List the distinct wordings that name the label, its opposite or neither."""
    said: dict[labels.Named, list[str]] = {names: [] for names in _KINDS}
    for found in match.mentions[:_SHOWN]:
        words = lexical.excerpt(shown.text[found.start : found.end], 80)
        if words not in said[found.names]:
            said[found.names].append(words)
    return said


def _why(label: str, match: labels.Match, said: dict[labels.Named, list[str]]) -> str:
    if said["label"] and said["opposite"]:
        return (
            f"The response says {_quoted(said['label'])} and also the opposite, {_quoted(said['opposite'])}."
        )
    if said["label"]:
        return f"The response says {_quoted(said['label'])}, which is the label “{label}”."
    if said["opposite"]:
        return f"The response says {_quoted(said['opposite'])}, the opposite of “{label}”."
    share = f"{len(match.found)} of {len(match.found) + len(match.missing)} of its words appear"
    only = f" (as {_quoted(said['neither'])})" if said["neither"] else ""
    return f"“{label}” is not named; {share}{only}, and 60 % are needed."


def _evidence(label: str, match: labels.Match, said: dict[labels.Named, list[str]]) -> dict[str, Any]:
    return {
        "label": label,
        "says_label": said["label"],
        "says_opposite": said["opposite"],
        "says_neither": said["neither"],
        "words_found": list(match.found),
        "words_missing": list(match.missing),
    }


def _flags(shown: lexical.View, label: str, match: labels.Match) -> tuple[str, ...]:
    core = labels.forms(label)[0][0]
    if match.mentions or core not in _OTHER_WORDS:
        return ()
    used = [words for words in _OTHER_WORDS[core] if shown.occurrences(words, 1)]
    return (f"The label may be given in other words: “{used[0]}”",) if used else ()


def _quoted(said: Iterable[str]) -> str:
    return ", ".join(f"“{words}”" for words in list(said)[:3])


def _noun(names: labels.Named) -> str:
    return {"label": "the label", "opposite": "the opposite", "neither": "another label"}[names]
