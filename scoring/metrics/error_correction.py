"""Error correction.

Whether the response gives the right answer although the documents give a planted one: RGB's error
correction rate, for counterfactual robustness. 1 if it does, else 0.

Formula: the response must give the right answer as in answer correctness, and must not hold the planted
answer in full while the right one is there only in part. Noticing the error is not required. With the
setting `scorer = paper`, the right answer must be contained, and the response must not decline. The paper's
CR is the mean of this metric over the responses that notice the error.

None: the case plants no error, or has no right answer.

Weaknesses: "it is London, not Paris" passes for "Paris", because both answers stand there in full. What
weakens answer correctness weakens this too.

>>> measure(EXAMPLE).value
1.0
>>> measure(Sample("The documents are wrong: it is Tokyo.", answers="Paris", fake_answer="London")).value
0.0
"""

from __future__ import annotations

from scoring.measurement import Band, Direction, Measurement, Sample, Span
from scoring.rgb import counterfactual, explanations, matching, rules
from scoring.rgb.places import Places

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "not corrected"), Band(1.0, "corrected"))
INPUTS = ("response", "answers", "fake_answer")
EXAMPLE = Sample(
    "The documents state London, but that is incorrect. The actual capital is Paris.",
    question="What is the capital of France?",
    answers="Paris",
    fake_answer="London",
)


def measure(sample: Sample) -> Measurement:
    """Judge the response against the right answer and the planted one."""
    if not sample.fake_answer:
        return Measurement(None, "The case plants no error.")
    if not sample.answers:
        return Measurement(None, "The case has no expected answer.")
    reading = rules.chosen(sample.settings)
    found = counterfactual.correction(sample.response, sample.answers, sample.fake_answer, **reading)
    return Measurement(
        float(found.corrected),
        _why(found),
        _evidence(sample, found, reading),
        _spans(sample, found),
        rules.flags(sample.response) + explanations.near_misses(found.match),
    )


def _why(found: counterfactual.Correction) -> str:
    if found.repeated is None:
        return explanations.sentence(found.match)
    return f"The response repeats the planted “{found.repeated}”, and holds the right answer only in part."


def _evidence(sample: Sample, found: counterfactual.Correction, reading: rules.Reading) -> dict[str, object]:
    detected = counterfactual.detects_error(sample.response, sample.fake_answer, **reading)
    answers = [item._asdict() for item in found.match.items]
    return {**reading, "answers": answers, "repeated": found.repeated, "detected": detected}


def _spans(sample: Sample, found: counterfactual.Correction) -> list[Span]:
    places = Places(sample.response)
    planted = [spelling for item in matching.required(sample.fake_answer) for spelling in item]
    marks = places.spans(planted, "bad" if found.repeated else "note", "planted answer")
    return explanations.spans(places, found.match) + marks
