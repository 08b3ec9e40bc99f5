"""Answer correctness.

Whether the response gives the expected answer: RGB's accuracy, for noise robustness and information
integration. 1 if every required answer is given in one of its spellings, else 0.

Formula: both sides are folded, lowered, stripped of the punctuation at their end and of extra spaces. An
answer is given if (1) it stands in the response; or (2) the response is shorter and stands in it; or
(3) at least 80 % of its distinct words, split at white space, are words of the response. With the setting
`scorer = paper`, only containment counts, and a response that declines is never correct.

None: the case has no answer, or no document of the prompt holds it (then the right response is to decline).

Weaknesses: it compares letters, not meaning. A paraphrase fails ("loss of forests" for "deforestation"),
"not Paris" passes for "Paris", "8" passes for "80" and "port" for "port 443", because a short response may
stand within the answer. A comma makes "fuels," another word than "fuels". Short responses and near misses
are flagged for a person.

>>> measure(EXAMPLE).value
1.0
>>> measure(Sample("Use Tokyo.", answers="Paris")).why
'0 of 1 words of “Paris” are in the response: 0%, and 80% are needed.'
"""

from __future__ import annotations

from scoring.measurement import Band, Direction, Measurement, Sample
from scoring.rgb import explanations, matching, rules
from scoring.rgb.places import Places
from scoring.rgb.rejection import find_rejection

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "incorrect"), Band(1.0, "correct"))
INPUTS = ("response", "answers")
EXAMPLE = Sample(
    "The capital of France is Paris.", question="What is the capital of France?", answers="Paris"
)


def measure(sample: Sample) -> Measurement:
    """Judge the response against the case's answers."""
    if sample.benchmark == "negative_rejection":
        return Measurement(None, "No document holds the answer, so the right response is to decline.")
    if not sample.answers:
        return Measurement(None, "The case has no expected answer.")
    reading = rules.chosen(sample.settings)
    match = matching.match(sample.response, sample.answers, **reading)
    return Measurement(
        float(match.correct),
        explanations.sentence(match),
        {**reading, "answers": [item._asdict() for item in match.items], "refused": match.refused},
        explanations.spans(Places(sample.response), match),
        _flags(sample, match, reading),
    )


def _flags(sample: Sample, match: matching.Match, reading: rules.Reading) -> tuple[str, ...]:
    flags = rules.flags(sample.response) + explanations.near_misses(match)
    if not match.refused and find_rejection(sample.response, **reading):
        flags += ("The response has the words of a refusal.",)
    return flags
