"""What holds for every metric in the folder: a new one is under test the moment its file exists."""

from __future__ import annotations

import doctest
import json
import math
from collections.abc import Sequence
from dataclasses import fields, replace
from hashlib import blake2b
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from scoring import registry
from scoring.measurement import Measurement, Sample

METRICS = registry.plugins("scoring.metrics")
LONGEST_FLAG = 120

TEXTS = {
    "empty": "",
    "blank": " \t\r\n\u00a0\u3000",
    "invisible": "\u200b\u00ad\ufeff\u2060",
    "one word": "Compliant",
    "one mark": ".",
    "marks": "... '' .' '. !!! ??? --- ***",
    "emoji": "Patch 🛡️ now 👩‍👩‍👧‍👦, é! 🇸🇬",
    "nul": "Clause 5.1.3\x00 is\x00 met.\x00",
    "lone surrogates": "\ud800 compliant \udfff\udc00 clause 5.1.3",
    "right to left": "النظام غير متوافق. המערכת אינה תואמת\u202e!",
    "combining marks": "Z\u0351\u032ba\u0300\u0301\u0302lgo e\u0301 \u0301 compliant",
    "capitals that grow": "İSTANBUL ŉ ǰ ΐ ﬁn ẞ compliant",
    "chinese": "该系统不合规。第5.1.3条要求多因素认证！信息不足",
    "typographic": "It isn’t “compliant” — see Clause 5.99.1… ﬁne",
    "reasoning left in": "<think>Hm.</think> Non-compliant.",
    "markup": "<script>alert('x')</script> **Compliant** [a](javascript:b)",
    "100 KB of words": "The CIIO reviews access rights at least annually. " * 2_000,
    "100 KB without a space": "a" * 100_000,
    "100 KB of marks": ".'" * 50_000,
    "100 KB of lines": "5.1.3\n" * 16_000,
}


def embed(texts: Sequence[str]) -> NDArray[np.float64]:
    """Stand in for the model: the same text always has the same vector."""
    digests = [blake2b(text.encode("utf-8"), digest_size=32).digest() for text in texts]
    return np.array([[byte - 127.5 for byte in digest] for digest in digests]).reshape(len(texts), 32)


def every_metric(function: object) -> object:
    return pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)(function)


def measured(metric: ModuleType, sample: Sample) -> Measurement:
    found = metric.measure(sample)
    assert isinstance(found, Measurement)
    return found


def check(metric: ModuleType, sample: Sample, found: Measurement) -> None:
    """Hold a measurement to the contract."""
    low, high = metric.RANGE
    assert found.why.strip() == found.why != ""
    assert found.value is None or (math.isfinite(found.value) and low <= found.value <= high)
    assert json.loads(json.dumps(found.evidence, allow_nan=False)) is not None
    assert all(0 <= span.start < span.end <= len(sample.response) for span in found.spans)
    assert all(span.kind in {"good", "bad", "note"} and span.note for span in found.spans)
    assert all(isinstance(flag, str) and 0 < len(flag) <= LONGEST_FLAG for flag in found.flags)


@every_metric
def test_it_says_what_it_measures_how_when_not_and_how_well(metric: ModuleType) -> None:
    lines = (metric.__doc__ or "").splitlines()
    assert lines[0] == registry.label(metric) + "."
    assert {"Formula", "None", "Weaknesses"} <= {line.partition(":")[0] for line in lines}


@every_metric
def test_it_shows_an_example_that_is_true(metric: ModuleType) -> None:
    found = doctest.testmod(metric)
    assert found.attempted
    assert not found.failed


@every_metric
def test_it_declares_version_direction_range_bands_and_inputs(metric: ModuleType) -> None:
    low, high = metric.RANGE
    starts = [band.start for band in metric.BANDS]
    assert metric.VERSION >= 1
    assert metric.DIRECTION in {"higher", "lower", "moderate"}
    assert low < high
    assert starts == sorted(set(starts))
    assert all(low <= start <= high and band.label for start, band in zip(starts, metric.BANDS, strict=True))
    assert set(metric.INPUTS) <= {field.name for field in fields(Sample)}


@every_metric
def test_it_computes_its_worked_example(metric: ModuleType) -> None:
    example = replace(metric.EXAMPLE, embed=embed)
    found = measured(metric, example)
    assert found.value is not None, found.why
    assert found.evidence
    check(metric, example, found)


@every_metric
def test_it_needs_no_more_than_a_response(metric: ModuleType) -> None:
    sample = Sample("The owner reviews access rights. Logs are kept for a year.")
    check(metric, sample, measured(metric, sample))


@pytest.mark.parametrize("name", TEXTS)
@every_metric
def test_it_survives_any_response(metric: ModuleType, name: str) -> None:
    sample = replace(metric.EXAMPLE, response=TEXTS[name], embed=embed)
    check(metric, sample, measured(metric, sample))


@pytest.mark.parametrize("name", [name for name in TEXTS if not name.startswith("100 KB")])
@every_metric
def test_it_survives_any_case(metric: ModuleType, name: str) -> None:
    text = TEXTS[name]
    sample = Sample(
        text,
        question=text,
        expected_response=text,
        expected_label=text,
        key_facts=[text] * 3,
        forbidden_claims=[text],
        evaluation_criteria={"terms": [text, [text]], "expected_violations": [text], "labels": [text]},
        clause_reference=text,
        answers=[text, [text]],
        fake_answer=text,
        siblings=[text, text],
        embed=embed,
    )
    check(metric, sample, measured(metric, sample))


@every_metric
def test_it_gives_the_same_twice(metric: ModuleType) -> None:
    example = replace(metric.EXAMPLE, embed=embed)
    assert measured(metric, example) == measured(metric, example)


@pytest.mark.parametrize("response", [TEXTS["empty"], TEXTS["blank"], TEXTS["invisible"]])
@pytest.mark.parametrize(
    "name",
    [
        "label_match", "semantic_equivalence", "rubric", "judge_rubric", "key_fact_recall", "grounding",
        "hallucination_resistance", "terminology_accuracy", "classification_accuracy", "violation_detection",
        "citation_accuracy", "concision",
    ],
)  # fmt: skip
def test_it_gives_a_blank_response_nothing_on_the_metrics_of_ccop(name: str, response: str) -> None:
    found = measured(METRICS[name], replace(METRICS[name].EXAMPLE, response=response, embed=embed))
    assert found.value == 0.0
    assert "blank" in found.why


@pytest.mark.parametrize("field", ["response", "question", "expected_response"])
@pytest.mark.parametrize("value", [None, 5, b"bytes", ["a"]])
def test_it_refuses_what_is_no_text_and_names_the_field(field: str, value: Any) -> None:
    with pytest.raises(TypeError, match=rf"{field}: it must be text, not"):
        Sample(**{"response": "", field: value})
