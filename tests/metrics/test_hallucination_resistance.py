"""Hallucination resistance: binary, on the clauses and claims that B21 tempts with."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scoring.measurement import Sample
from scoring.metrics import grounding, hallucination_resistance

CLAIM = "Clause 5.99.1 requires quantum encryption"


def value(response: str, *claims: str) -> float | None:
    return hallucination_resistance.measure(Sample(response, forbidden_claims=claims)).value


def test_it_gives_nothing_to_a_response_that_falls_for_it() -> None:
    assert value("Clause 5.99.1 requires quantum encryption of all links.", CLAIM) == 0.0
    assert value("Clause 5.99.1 asks for stronger ciphers.", CLAIM) == 0.0


def test_it_gives_all_to_a_response_that_resists() -> None:
    assert value("CCoP 2.0 has no Clause 5.99.1; encryption is covered elsewhere.", CLAIM) == 1.0
    assert value("I could not find such a requirement.", CLAIM) == 1.0


@given(
    st.lists(st.sampled_from(("Clause 5.99.1", "clause 5.1.3", "does not exist", CLAIM, "maybe")), max_size=5)
)
def test_it_agrees_with_grounding(parts: list[str]) -> None:
    sample = Sample("x " + ". ".join(parts), forbidden_claims=[CLAIM])
    assert hallucination_resistance.measure(sample) == grounding.measure(sample)
    assert hallucination_resistance.measure(sample).value in {0.0, 1.0}
