"""Grounding: forbidden claims, clauses that do not exist, what is left alone, what is flagged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scoring.ccop import code
from scoring.measurement import Sample
from scoring.metrics.grounding import measure

CLAIM = "CCoP requires daily penetration tests"


def value(response: str, *claims: str) -> float | None:
    return measure(Sample(response, forbidden_claims=claims)).value


@pytest.mark.parametrize(
    "response",
    [
        "CCoP requires daily penetration tests.",
        "Note: ccop REQUIRES daily “penetration” tests",
        "The CCoP\nrequires - daily, penetration\ttests!",
        "CCoP re\u00adquires daily penetration tests",
    ],
)
def test_it_finds_a_forbidden_claim_whatever_its_case_and_punctuation(response: str) -> None:
    assert value(response, CLAIM) == 0.0


@pytest.mark.parametrize(
    "response",
    [
        "CCoP requires penetration tests",
        "requires daily penetration tests",
        "CCoP requires daily penetration testing",
    ],
)
def test_it_wants_all_the_words_of_a_claim_in_a_row(response: str) -> None:
    assert value(response, CLAIM) == 1.0


def test_it_gives_nothing_for_a_clause_that_does_not_exist() -> None:
    found = measure(Sample("Clause 5.1.3 is met; Clause 5.99.1 is not, nor is Section 12."))
    assert found.value == 0.0
    assert found.evidence["fabricated"] == ["5.99.1", "12"]
    assert found.why == "The response cites 5.99.1, 12, which the Code does not have."


def test_it_leaves_alone_a_response_that_says_the_clause_does_not_exist() -> None:
    assert value("There is no Clause 5.99.1 in CCoP 2.0.") == 1.0


@pytest.mark.parametrize(
    "response",
    [
        "This depends on the implemented controls.",
        "It may, perhaps, be compliant; more evidence is needed.",
        "I am not sure whether the Code covers this.",
    ],
)
def test_it_never_penalises_hedging(response: str) -> None:
    assert value(response, CLAIM) == 1.0


def test_it_marks_claims_and_clauses_in_the_response() -> None:
    response = "“CCoP requires daily penetration tests” – see Clause 5.15.1 and Clause 5.99.1."
    found = measure(Sample(response, forbidden_claims=["Nothing of the kind", CLAIM]))
    assert [(response[span.start : span.end], span.kind) for span in found.spans] == [
        ("CCoP requires daily penetration tests", "bad"),
        ("Clause 5.15.1", "good"),
        ("Clause 5.99.1", "bad"),
    ]
    assert [claim["found"] for claim in found.evidence["claims"]] == [False, True]


def test_it_flags_a_claim_that_is_quoted_to_be_denied() -> None:
    found = measure(
        Sample("It is false that CCoP requires daily penetration tests.", forbidden_claims=[CLAIM])
    )
    assert found.value == 0.0
    assert found.flags == ("Forbidden claim 1 may be quoted only to deny it",)


def test_it_flags_a_paraphrase_and_leaves_the_score() -> None:
    response = "Backups matter. The Code demands pentests every day."
    found = measure(Sample(response, forbidden_claims=[CLAIM], embed=_on_tests))
    assert found.value == 1.0
    assert found.flags == ("Possible paraphrase of forbidden claim 1",)
    assert found.evidence["paraphrases"] == [
        {"claim": 1, "said": "The Code demands pentests every day.", "similarity": 1.0}
    ]


def test_it_flags_no_paraphrase_of_a_claim_that_is_made_outright() -> None:
    assert measure(Sample(CLAIM, forbidden_claims=[CLAIM], embed=_on_tests)).flags == ()


def test_it_names_a_setting_that_makes_no_sense() -> None:
    sample = Sample("x", forbidden_claims=[CLAIM], embed=_on_tests, settings={"paraphrase_similarity": 2})
    with pytest.raises(ValueError, match="paraphrase_similarity"):
        measure(sample)


@given(st.text(max_size=50), st.text(max_size=50))
def test_it_finds_a_claim_wherever_it_stands(before: str, after: str) -> None:
    assert value(f"{before} \n{CLAIM}\n {after}", CLAIM) == 0.0


@given(st.sampled_from(sorted(code.CLAUSES)))
def test_it_takes_every_clause_of_the_code(clause: str) -> None:
    assert value(f"Under Clause {clause}, the owner acts.") == 1.0


@given(st.integers(1, 30), st.integers(1, 30), st.integers(1, 30))
def test_it_takes_no_clause_that_the_code_does_not_have(section: int, part: int, clause: int) -> None:
    number = f"{section}.{part}.{clause}"
    assert value(f"Under Clause {number}, the owner acts.") == float(number in code.CLAUSES)


def _on_tests(texts: Sequence[str]) -> NDArray[np.float64]:
    return np.array([[1.0, 0.0] if "test" in text else [0.0, 1.0] for text in texts])
