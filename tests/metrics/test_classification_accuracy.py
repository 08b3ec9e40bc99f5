"""Classification accuracy: the mean of label matches, beside the main label."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measurement import Sample
from scoring.metrics import label_match
from scoring.metrics.classification_accuracy import measure


def value(response: str, expected: object, label: str | None = None) -> float | None:
    criteria = {"expected_classification": expected}
    return measure(Sample(response, expected_label=label, evaluation_criteria=criteria)).value


def test_it_scores_one_classification_as_a_label() -> None:
    assert value("Severity: High", "High") == 1.0
    assert value("Severity: not high", "High") == 0.0


def test_it_takes_the_mean_of_several() -> None:
    assert value("High, and both in scope and out of scope", ["High", "In scope"]) == pytest.approx(0.85)


def test_it_falls_back_on_the_expected_label() -> None:
    assert value("High", None, label="High") == 1.0
    assert value("Low", "Low", label="High") == 1.0


def test_it_is_undefined_without_any() -> None:
    assert value("High", None) is None
    assert value("High", ["", 3]) is None


def test_it_keeps_the_evidence_of_each() -> None:
    found = measure(Sample("High.", evaluation_criteria={"expected_classification": ["High", "Low"]}))
    assert [item["value"] for item in found.evidence["classifications"]] == [1.0, 0.0]


@given(st.sampled_from(("Compliant", "In scope", "High")), st.text(max_size=40))
def test_it_agrees_with_label_match_on_one_label(label: str, response: str) -> None:
    sample = Sample(response, expected_label=label)
    assert measure(sample).value == label_match.measure(sample).value
