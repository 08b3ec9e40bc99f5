"""Violation detection: expected violations found, as key facts are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measurement import Sample
from scoring.metrics import key_fact_recall
from scoring.metrics.violation_detection import measure

VIOLATIONS = ("Shared administrator accounts", "Logs kept for two weeks", "Unpatched field controllers")


def value(response: str, *violations: str) -> float | None:
    return measure(Sample(response, evaluation_criteria={"expected_violations": list(violations)})).value


def test_it_divides_the_violations_found_by_those_expected() -> None:
    assert value("Administrators share accounts: shared accounts breach 5.2.1.", *VIOLATIONS) == 1 / 3


def test_it_says_which_it_found() -> None:
    criteria = {"expected_violations": VIOLATIONS}
    found = measure(Sample("The field controllers are unpatched.", evaluation_criteria=criteria))
    assert [item["covered"] for item in found.evidence["statements"]] == [False, False, True]
    assert found.why.startswith("1 of 3 violations are covered")


@pytest.mark.parametrize("criteria", [{}, {"expected_violations": []}, {"expected_violations": None}])
def test_it_is_undefined_without_violations(criteria: dict[str, object]) -> None:
    assert measure(Sample("None.", evaluation_criteria=criteria)).value is None


@given(st.text(max_size=80))
def test_it_agrees_with_key_fact_recall_on_the_same_texts(response: str) -> None:
    sample = Sample(response, key_facts=VIOLATIONS, evaluation_criteria={"expected_violations": VIOLATIONS})
    assert measure(sample).value == key_fact_recall.measure(sample).value
