"""Rejection.

Whether the response declines to answer, where no document holds the answer: RGB's rejection rate, for
negative rejection and for noise robustness at full noise. 1 if it declines, else 0.

Formula: the response is folded and lowered; it declines if it contains one of four primary phrases
("insufficient information in documents", "cannot answer", …), one of 24 secondary keywords ("i don't know",
"unable to", "unclear", …), or the Chinese "信息不足". With the setting `scorer = paper`, only "insufficient
information" and "信息不足" count.

None: a document of the prompt holds the answer, so that nothing is to be declined.

Weaknesses: keywords are looked for anywhere, so "the unknown attacker used phishing" counts as declining, and
"the documents do not mention it" does not, because the keyword is "not mentioned". A response that declines
and yet gives the answer is flagged for a person.

>>> measure(EXAMPLE).why
'The response contains “cannot determine” (secondary keyword).'
>>> measure(Sample("The documents do not mention it.")).value
0.0
"""

from __future__ import annotations

from scoring.measurement import Band, Direction, Measurement, Sample
from scoring.rgb import matching, rejection, rules
from scoring.rgb.places import Places

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "answered"), Band(1.0, "declined"))
INPUTS = ("response",)
EXAMPLE = Sample(
    "Based on the provided documents, we cannot determine the answer.",
    question="Who reported the flaw first?",
    benchmark="negative_rejection",
)

ANSWERABLE = frozenset({"noise_robustness", "information_integration", "counterfactual_robustness"})


def measure(sample: Sample) -> Measurement:
    """Look for the keyword that declines."""
    if sample.benchmark in ANSWERABLE:
        return Measurement(None, "The documents hold an answer, so nothing is to be declined.")
    reading = rules.chosen(sample.settings)
    hit = rejection.find_rejection(sample.response, **reading)
    if hit is None:
        why = "The response contains no keyword of a refusal."
        return Measurement(0.0, why, {**reading, "keyword": None}, flags=rules.flags(sample.response))
    spans = Places(sample.response).spans([hit.keyword], "good", hit.source)
    evidence = {**reading, **hit._asdict(), "start": spans[0].start if spans else None}
    why = f"The response contains “{hit.keyword}” ({hit.source})."
    return Measurement(1.0, why, evidence, spans, _flags(sample))


def _flags(sample: Sample) -> tuple[str, ...]:
    flags = list(rules.flags(sample.response))
    # The paper's own rule for the answer calls no refusal correct: containment is asked for by itself.
    if sample.answers and all(item.correct for item in matching.match(sample.response, sample.answers).items):
        flags.append("The response declines and yet gives the expected answer.")
    return tuple(flags)
