"""Citation accuracy: expected clauses cited, headings, further clauses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.ccop import code
from scoring.measurement import Sample
from scoring.metrics.citation_accuracy import measure

CLAUSES = st.sets(st.sampled_from(sorted(code.CLAUSES)), min_size=1, max_size=5)


def value(response: str, reference: str = "", **criteria: object) -> float | None:
    return measure(Sample(response, clause_reference=reference, evaluation_criteria=criteria)).value


def test_it_divides_the_clauses_cited_by_those_expected() -> None:
    assert value("See Clause 5.1.3.", "5.1.3; 5.2.1") == 0.5
    assert value("See clauses 5.1.3 and 5.2.1.", "Clause 5.1.3, Clause 5.2.1") == 1.0


def test_it_takes_the_criteria_before_the_reference() -> None:
    assert value("See Clause 5.2.1.", "5.1.3", expected_citations=["5.2.1"]) == 1.0


def test_it_takes_a_clause_for_its_heading_and_not_the_reverse() -> None:
    assert value("See Clause 5.1.3.", "5.1") == 1.0
    assert value("See Section 5.1.", "5.1.3") == 0.0


def test_it_leaves_out_the_version_of_the_code_and_other_documents() -> None:
    assert value("See Clause 5.1.3.", "CCoP 2.0 Clause 5.1.3") == 1.0
    assert value("ISO 27001 clause 9.1 says so.", "9.1") == 0.0


def test_it_shows_further_clauses_without_punishing_them() -> None:
    found = measure(Sample("Clauses 5.1.3 and 6.1.1 apply.", clause_reference="5.1.3"))
    assert (found.value, found.evidence["other"]) == (1.0, ["6.1.1"])


@pytest.mark.parametrize("reference", ["", "none", "n/a"])
def test_it_is_undefined_without_a_clause(reference: str) -> None:
    assert value("Clause 5.1.3.", reference) is None


@given(CLAUSES, CLAUSES)
def test_it_is_the_recall_of_the_expected_clauses(expected: set[str], cited: set[str]) -> None:
    response = " ".join(f"Clause {number} applies." for number in cited)
    assert value(response, ", ".join(expected)) == len(expected & cited) / len(expected)
