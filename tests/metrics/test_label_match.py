"""Label match: the three levels, negation, opposites, labels of any kind, evidence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measurement import Sample
from scoring.metrics.label_match import measure

LABELS = (
    "Compliant",
    "Non-Compliant",
    "Applicable",
    "Not Applicable",
    "In scope",
    "Out of scope",
    "Yes",
    "No",
)


def value(label: str | None, response: str, **criteria: object) -> float | None:
    return measure(Sample(response, expected_label=label, evaluation_criteria=criteria)).value


@pytest.mark.parametrize(
    ("label", "response"),
    [
        ("Compliant", "The system is Compliant."),
        ("Compliant", "**COMPLIANT**: all is well"),
        ("Compliant", "not non-compliant"),
        ("Compliant", "It is not noncompliant."),
        ("Compliant", "Not only compliant but exemplary"),
        ("Compliant", "Since MFA is not enabled, the rest is compliant"),
        ("Non-Compliant", "Non‑Compliant."),
        ("Non-Compliant", "not compliant"),
        ("Non-Compliant", "noncompliant"),
        ("Non-Compliant", "The setup isn’t compliant"),
        ("Non-Compliant", "It is not fully compliant"),
        ("Non-Compliant", "It is neither documented nor compliant"),
        ("Non-Compliant", "It cannot currently be considered compliant"),
        ("Non-Compliant", "This does not make the system compliant"),
        ("Non-Compliant", "There is no evidence that the system is compliant"),
        ("Non-Compliant", "The vendor fails to be compliant"),
        ("Partially Compliant", "Partially compliant"),
        ("Applicable", "CCoP is applicable here"),
        ("Not Applicable", "CCoP isn't applicable"),
        ("Not Applicable", "The Code is inapplicable"),
        ("In scope", "The plant is in scope"),
        ("In scope", "The plant is not out of scope"),
        ("Out of scope", "The plant is not in scope"),
        ("Yes", "Yes. There is no policy against it."),
        ("No", "**No**, it is not."),
        ("No", "Answer: No"),
        ("High", "I rate the risk High."),
        ("Unauthorised", "This is unauthorised access"),
        ("Compliant with conditions", "Compliant, with conditions"),
        ("ＣＯＭＰＬＩＡＮＴ", "compliant"),
    ],
)
def test_it_gives_all_to_a_response_that_names_the_label(label: str, response: str) -> None:
    assert value(label, response) == 1.0


@pytest.mark.parametrize(
    ("label", "response"),
    [
        ("Compliant", "Compliant with 5.1.3, but non-compliant with 5.2.1"),
        ("Compliant", "It is compliant. No, it isn't compliant."),
        ("Compliant", "partially compliant"),
        ("In scope", "The plant is in scope, the office is out of scope"),
        ("Yes", "No. On second thoughts, yes."),
        ("Compliant with conditions", "Such conditions go with the licence"),
        ("Medium to High", "somewhere from medium to low, or high"),
    ],
)
def test_it_gives_part_to_both_or_to_most_of_the_words(label: str, response: str) -> None:
    assert value(label, response) == 0.7


@pytest.mark.parametrize(
    ("label", "response"),
    [
        ("Compliant", "Non-Compliant"),
        ("Compliant", "noncompliant"),
        ("Compliant", "isn't compliant"),
        ("Compliant", "far from compliant"),
        ("Compliant", "no longer compliant"),
        ("Compliant", "compliance is a journey"),
        ("Non-Compliant", "compliant"),
        ("Non-Compliant", "not non-compliant"),
        ("Non-Compliant", "partially compliant"),
        ("Partially Compliant", "Compliant"),
        ("Partially Compliant", "not partially compliant"),
        ("Applicable", "not applicable"),
        ("Not Applicable", "It is applicable, not optional"),
        ("In scope", "outside the scope"),
        ("Out of scope", "in scope"),
        ("Yes", "No."),
        ("No", "Yes, there is no policy"),
        ("Authorised", "unauthorised"),
        ("CII owner", "the CII owners"),
    ],
)
def test_it_gives_nothing_to_another_label(label: str, response: str) -> None:
    assert value(label, response) == 0.0


@pytest.mark.parametrize("label", [None, "", "  ", "---"])
def test_it_is_undefined_without_a_label(label: str | None) -> None:
    found = measure(Sample("Compliant", expected_label=label))
    assert (found.value, found.why) == (None, "The case has no expected label.")


def test_it_reads_a_longer_label_of_the_case_as_that_label() -> None:
    labels = ["Compliant", "Compliant with conditions"]
    assert value("Compliant", "Compliant with conditions", labels=labels) == 0.7
    assert value("Compliant", "Compliant with conditions") == 1.0


def test_it_says_which_words_decided_and_marks_them_in_the_response() -> None:
    response = "Verdict –  the plant isn’t fully compliant."
    found = measure(Sample(response, expected_label="Compliant"))
    assert found.why == "The response says “isn't fully compliant”, the opposite of “Compliant”."
    assert [response[span.start : span.end] for span in found.spans] == ["isn’t fully compliant"]
    assert found.spans[0].kind == "bad"


def test_it_flags_a_label_in_other_words() -> None:
    found = measure(Sample("CCoP 2.0 applies to the plant.", expected_label="Applicable"))
    assert found.value == 0.0
    assert found.flags == ("The label may be given in other words: “applies”",)


@given(st.sampled_from(LABELS), st.text(max_size=60))
def test_it_knows_three_levels_only(label: str, response: str) -> None:
    assert value(label, response) in {0.0, 0.7, 1.0}


@given(st.sampled_from(["Compliant", "Applicable", "Authorised", "Ready"]), st.integers(0, 6))
def test_it_counts_negations_in_pairs(label: str, negations: int) -> None:
    response = f"It is {'not ' * negations}{label}"
    assert value(label, response) == (0.0 if negations % 2 else 1.0)
    assert value(f"Not {label}", response) == (1.0 if negations % 2 else 0.0)


@given(st.sampled_from(LABELS[:6]), st.sampled_from(["", "**", "“", "\n\n", " \u200b"]))
def test_it_cares_for_neither_case_nor_punctuation(label: str, mark: str) -> None:
    assert value(label, f"Result: {mark}{label.upper()}{mark}.") == 1.0
