"""Terminology accuracy: terms in a row, spellings, endings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measurement import Sample
from scoring.metrics.terminology_accuracy import measure

TERMS = ("CIIO", "digital boundary", "security baseline", "Commissioner")


def value(response: str, *terms: object) -> float | None:
    return measure(Sample(response, evaluation_criteria={"terms": list(terms)})).value


def test_it_divides_the_terms_used_by_those_asked_for() -> None:
    assert value("The CIIO guards the digital boundary.", *TERMS) == 2 / 4


@pytest.mark.parametrize("response", ["CIIO", "ciios", "the CIIO's duty", "“CIIO”"])
def test_it_takes_a_term_in_any_case_and_with_an_ending(response: str) -> None:
    assert value(response, "CIIO") == 1.0


@pytest.mark.parametrize("response", ["the digital and physical boundary", "ACIIO", "CIIOX", "CII O"])
def test_it_wants_the_words_of_a_term_whole_and_in_a_row(response: str) -> None:
    assert value(response, "digital boundary", "CIIO") == 0.0


def test_it_takes_one_of_several_spellings() -> None:
    assert (
        value("The critical information infrastructure owner decides.", ["CIIO", "infrastructure owner"])
        == 1.0
    )


def test_it_names_what_is_missing_and_marks_what_is_used() -> None:
    response = "Each CIIO must act."
    found = measure(Sample(response, evaluation_criteria={"terms": ["CIIO", "security baseline"]}))
    assert found.why == "1 of 2 terms are used; missing: security baseline."
    assert [response[span.start : span.end] for span in found.spans] == ["CIIO"]


@pytest.mark.parametrize("criteria", [{}, {"terms": []}, {"terms": None}, {"terms": 3}, {"terms": [" "]}])
def test_it_is_undefined_without_terms(criteria: dict[str, object]) -> None:
    assert measure(Sample("CIIO", evaluation_criteria=criteria)).value is None


@given(st.sets(st.sampled_from(TERMS)), st.text(max_size=30))
def test_it_counts_exactly_the_terms_that_stand_there(used: set[str], between: str) -> None:
    found = value(f"x {f' {between} . '.join(used)}", *TERMS)
    assert found is not None
    assert found >= len(used) / len(TERMS)
