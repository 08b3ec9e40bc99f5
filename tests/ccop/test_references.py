"""Clause references: what is one, what is none, and which the Code has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.ccop import code
from scoring.ccop.references import references


def found(response: str) -> list[tuple[str, str]]:
    return [(reference.number, reference.standing) for reference in references(response)]


def numbers(response: str) -> list[str]:
    return [number for number, _ in found(response)]


@pytest.mark.parametrize(
    ("response", "cited"),
    [
        ("Clause 5.1.3 applies.", ["5.1.3"]),
        ("section 5.1", ["5.1"]),
        ("SECTION 5", ["5"]),
        ("Clause **5.1.3**", ["5.1.3"]),
        ("Clause: 5.1.3", ["5.1.3"]),
        ("clause no. 5.1.3", ["5.1.3"]),
        ("cl. 5.1.3(a)", ["5.1.3"]),
        ("cl.5.1.3(a)(ii)", ["5.1.3"]),
        ("sec. 5.1", ["5.1"]),
        ("§5.1", ["5.1"]),
        ("§§ 5.1, 5.2 and 5.3", ["5.1", "5.2", "5.3"]),
        ("sub-clause 5.1.3", ["5.1.3"]),
        ("para 5.1.3", ["5.1.3"]),
        ("CCoP 5.1.3", ["5.1.3"]),
        ("CCoP 2.0 5.1.3", ["5.1.3"]),
        ("CCoP 2.0 clause 5.1.3", ["5.1.3"]),
        ("CCoP control 5.1.3", ["5.1.3"]),
        ("clauses 5.1.3 and 5.1.4", ["5.1.3", "5.1.4"]),
        ("Clauses 5.1.3(a), 5.1.4 and 5.2.1", ["5.1.3", "5.1.4", "5.2.1"]),
        ("Clauses 5.1.1–5.1.4", ["5.1.1", "5.1.4"]),
        ("clauses 5.1.1 to 5.1.4", ["5.1.1", "5.1.4"]),
        ("clause 5.1.3/5.1.4", ["5.1.3", "5.1.4"]),
        ("Sections 3, 4 and 5", ["3", "4", "5"]),
        ("clause ５.１.３", ["5.1.3"]),
        ("Section\n5.1", ["5.1"]),
        ("clause 05.1.3", ["5.1.3"]),
        ("Section 5.0", ["5"]),
    ],
)
def test_it_finds_references(response: str, cited: list[str]) -> None:
    assert found(response) == [(number, "exists") for number in cited]


@pytest.mark.parametrize(
    "response",
    [
        "Use TLS 1.2.",
        "version 5.10",
        "the host 10.0.0.1",
        "section 10.0.0.1/24 of the network",
        "NIST SP 800-53",
        "CCoP 2.0",
        "CCoP v2.0 is in force",
        "on 12.12.2022",
        "4 July 2022",
        "see 5.99.1",
        "clause 5G",
        "the clause 12 months later",
        "99.9 % of the section",
        "control 5.99",
        "",
    ],
)
def test_it_finds_none_where_there_is_none(response: str) -> None:
    assert found(response) == []


def test_it_stops_a_list_where_numbers_mean_something_else() -> None:
    assert numbers("Under clause 5.1.3 and 14 days later") == ["5.1.3"]
    assert numbers("Sections 3, 4 and 12 months") == ["3", "4"]
    assert numbers("clause 5.1 and 99.9 % of hosts") == ["5.1"]


@pytest.mark.parametrize(
    "response",
    [
        "ISO 27001 clause 9.1",
        "ISO/IEC 27001:2022, clause 99.1, asks for it",
        "clause 99.1 of ISO 27001",
        "Section 12 of the Cybersecurity Act",
        "Section 12(1) of the Cybersecurity Act 2018",
        "Under the Act, section 35 applies",
        "PCI DSS Requirement 8.3.1",
        "Section 14 of this report",
    ],
)
def test_it_leaves_other_documents_alone(response: str) -> None:
    assert [standing for _, standing in found(response)] == ["another document"]


def test_it_tells_documents_of_one_sentence_apart() -> None:
    response = "ISO 27001 clause 99.1 and CCoP clause 5.99.1 differ."
    assert found(response) == [("99.1", "another document"), ("5.99.1", "fabricated")]


@pytest.mark.parametrize(
    "response",
    [
        "Clause 5.99.1 requires it.",
        "Clause 5.99.1 of the CCoP",
        "Section 12",
        "Clause 5.1.3.2",
        "Clause 5.99.1 is not optional.",
        "Clause 5.99.1 does not include vendors.",
        "There is no exception to clause 5.99.1.",
        "You do not have MFA, which violates clause 5.99.1.",
        "Section 12 does not apply here.",
        "Clause 5.99.1 requires MFA, which was not found in the system.",
    ],
)
def test_it_sees_a_reference_that_the_code_does_not_have(response: str) -> None:
    assert [standing for _, standing in found(response)] == ["fabricated"]


@pytest.mark.parametrize(
    "response",
    [
        "There is no clause 5.99.",
        "Clause 5.99 does not exist.",
        "Clause 5.99.1 doesn’t exist in the Code.",
        "The Code does not contain a clause 5.99.",
        "CCoP 2.0 has no Section 12.",
        "I can't find clause 5.99.1 in the Code.",
        "I could not verify that clause 5.99.1 exists.",
        "We are not aware of any clause 5.99.",
        "Clause 5.99.1 isn't part of CCoP 2.0.",
        "Clause 5.99.1 is not a valid clause.",
        "The fictitious clause 5.99.1 asks for nothing.",
        "You asked about Clause 5.99.1. There is no such clause.",
        "You asked about Clause 5.99.1. That clause doesn't exist in CCoP.",
        "You asked what clause 5.99.1 says; I cannot confirm it.",
    ],
)
def test_it_understands_that_a_clause_is_said_not_to_exist(response: str) -> None:
    assert [standing for _, standing in found(response)] == ["said not to exist"]


def test_it_lets_a_number_go_everywhere_once_it_is_said_not_to_exist() -> None:
    response = "Clause 5.99.1 would cover this, but there is no clause 5.99.1. Clause 5.98.1 asks for it."
    assert [standing for _, standing in found(response)] == [
        "said not to exist",
        "said not to exist",
        "fabricated",
    ]


def test_it_gives_the_place_of_each() -> None:
    response = "See Clause 5.1.3 and 5.2.1."
    assert [response[found.start : found.end] for found in references(response)] == ["Clause 5.1.3", "5.2.1"]


@given(st.text(max_size=200))
def test_it_survives_any_text(response: str) -> None:
    assert all(0 <= reference.start < reference.end for reference in references(response))


@given(
    st.sampled_from(sorted(code.CLAUSES | code.HEADINGS.keys())),
    st.sampled_from(("Clause", "section", "§", "cl.")),
)
def test_it_knows_everything_that_the_code_has(number: str, word: str) -> None:
    assert found(f"As {word} {number} says, act.") == [(number, "exists")]
