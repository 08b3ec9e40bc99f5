"""Completeness: key-fact recall.

How many of the facts that a complete answer needs are in the response. Each case of the CCoP 2.0 baseline
methodology lists three to eight.

Formula: covered facts / all facts. A fact's terms are its distinct words of more than 4 characters, or all
its words if none is that long. A term appears when a word of the response begins with it ("services" for
"service", not "unauthorised" for "authorised"). A fact is covered when at least 60 % of its terms appear;
the setting `key_term_percent` changes the 60.

None: the case lists no key facts.

Weaknesses: it sees words, not statements. A fact that is denied is covered as well as one that is stated, a
paraphrase in other words is not, and the terms of one fact may stand far apart.

>>> measure(EXAMPLE).why
'1 of 2 key facts are covered; one is when 60 % of its terms appear.'
"""

from __future__ import annotations

from scoring.ccop import key_terms
from scoring.language import lexical
from scoring.measurement import Band, Direction, Measurement, Sample

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "low"), Band(0.6, "high"))
INPUTS = ("response", "key_facts")
EXAMPLE = Sample(
    "Access rights are reviewed annually, and dormant accounts are closed.",
    key_facts=[
        "Access rights are reviewed at least annually",
        "Privileged sessions are recorded by a jump host",
    ],
)


def measure(sample: Sample) -> Measurement:
    """Count the case's key facts that the response covers."""
    if not sample.key_facts:
        return Measurement(None, "The case lists no key facts.")
    shown = lexical.view(sample.response)
    if shown.blank:
        return lexical.BLANK
    percent = key_terms.percent_of(sample.settings)
    return key_terms.coverage(shown, sample.key_facts, "key facts", percent)
