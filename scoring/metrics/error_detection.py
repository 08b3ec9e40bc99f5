"""Error detection.

Whether the response notices that the documents are wrong: RGB's error detection rate, for counterfactual
robustness. 1 if it does, else 0.

Formula: the response is folded and lowered; it detects the error if it contains one of 16 keywords
("incorrect", "wrong", "actually", "however", …), "not X" or "X is wrong" for the planted answer X, or the
Chinese "事实性错误". With the setting `scorer = paper`, only "factual errors" and "事实性错误" count.

None: the case plants no error.

Weaknesses: keywords are looked for anywhere, so "however" in any sentence counts, as does "error" in "error
message". A response that is caught by a linking word alone is flagged for a person.

>>> measure(EXAMPLE).why
'The response contains “incorrect” (keyword).'
>>> measure(Sample("According to the documents, it is London.", fake_answer="London")).value
0.0
"""

from __future__ import annotations

from scoring.language.text import fold
from scoring.measurement import Band, Direction, Measurement, Sample
from scoring.rgb import counterfactual, rules
from scoring.rgb.places import Places

VERSION = 1
DIRECTION: Direction = "higher"
RANGE = (0.0, 1.0)
BANDS = (Band(0.0, "not noticed"), Band(1.0, "noticed"))
INPUTS = ("response", "fake_answer")
EXAMPLE = Sample(
    "The documents state London, but that is incorrect. The actual capital is Paris.",
    question="What is the capital of France?",
    answers="Paris",
    fake_answer="London",
)

LINKING_WORDS = frozenset({"actually", "in fact", "however", "but actually"})


def measure(sample: Sample) -> Measurement:
    """Look for the keyword, or the denial of the planted answer, that notices the error."""
    if not sample.fake_answer:
        return Measurement(None, "The case plants no error.")
    reading = rules.chosen(sample.settings)
    hit = counterfactual.find_detection(sample.response, sample.fake_answer, **reading)
    if hit is None:
        why = "The response contains no keyword of an error, and does not deny the planted answer."
        return Measurement(0.0, why, {**reading, "keyword": None}, flags=rules.flags(sample.response))
    spans = Places(sample.response).spans([hit.keyword], "good", hit.source)
    evidence = {**reading, **hit._asdict(), "start": spans[0].start if spans else None}
    why = f"The response contains “{hit.keyword}” ({hit.source})."
    return Measurement(1.0, why, evidence, spans, _flags(sample, hit))


def _flags(sample: Sample, hit: rules.Hit) -> tuple[str, ...]:
    flags = list(rules.flags(sample.response))
    if hit.keyword in LINKING_WORDS and not _says_more(sample.response):
        flags.append("Caught by a linking word alone: it may not speak of an error.")
    return tuple(flags)


def _says_more(response: str) -> bool:
    text = fold(response).lower()
    return any(word in text for word in counterfactual.ERROR_DETECTION_KEYWORDS if word not in LINKING_WORDS)
