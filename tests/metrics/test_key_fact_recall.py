"""Key-fact recall: terms, coverage in whole numbers, evidence, settings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.ccop.key_terms import terms
from scoring.measurement import Sample
from scoring.metrics.key_fact_recall import measure

WORDS = st.sampled_from(
    ("access", "rights", "reviewed", "annually", "network", "vendor", "CIIO", "the", "of", "MFA")
)
FACTS = st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=8)


def value(response: str, *facts: str, **settings: float) -> float | None:
    return measure(Sample(response, key_facts=facts, settings=settings)).value


def test_it_divides_the_covered_facts_by_all() -> None:
    facts = ("Access rights are reviewed", "Vendors sign agreements", "Backups are tested")
    assert value("Access rights are reviewed, and backups tested.", *facts) == 2 / 3


@pytest.mark.parametrize(("found", "covered"), [(2, 0.0), (3, 1.0), (4, 1.0), (5, 1.0)])
def test_it_covers_a_fact_at_three_of_five_terms(found: int, covered: float) -> None:
    fact = "alpha1 bravo2 charlie delta4 echo55"
    assert value(" ".join(fact.split()[:found]), fact) == covered


def test_it_takes_words_of_more_than_four_characters_once() -> None:
    assert terms("The CIIO must review access: access to CII") == ("review", "access")
    assert terms("Use MFA for all") == ("use", "mfa", "for", "all")


def test_it_takes_a_word_that_begins_with_the_term_and_no_other() -> None:
    assert value("Cloud services", "service") == 1.0
    assert value("unauthorised", "authorised") == 0.0
    assert value("authorise", "authorised") == 0.0


def test_it_holds_numbers_of_clauses_together() -> None:
    assert value("See 5.1.3.", "5.1.3") == 1.0
    assert value("See 5.1 and 3.", "5.1.3") == 0.0


def test_it_folds_both_sides() -> None:
    assert value("ＳＥＧＭＥＮＴＥＤ net\u00adworks", "Segmented networks") == 1.0


def test_it_shows_the_terms_of_each_fact_and_marks_them() -> None:
    response = "Rights are reviewed."
    found = measure(Sample(response, key_facts=["Access rights reviewed"]))
    assert found.evidence["statements"] == [
        {
            "statement": "Access rights reviewed",
            "covered": True,
            "found": ["rights", "reviewed"],
            "missing": ["access"],
        }
    ]
    assert sorted(response[span.start : span.end] for span in found.spans) == ["Rights", "reviewed"]


def test_it_is_undefined_without_facts() -> None:
    assert measure(Sample("Anything.")).value is None


def test_it_takes_the_share_of_terms_from_its_settings() -> None:
    assert value("access", "access rights", key_term_percent=50) == 1.0
    assert value("access", "access rights", key_term_percent=51) == 0.0


@pytest.mark.parametrize("percent", [0, -1, 101, "60", None, True, float("nan")])
def test_it_names_a_setting_that_makes_no_sense(percent: object) -> None:
    with pytest.raises(ValueError, match="key_term_percent"):
        measure(Sample("x", key_facts=["fact"], settings={"key_term_percent": percent}))


@given(FACTS, st.text(max_size=80))
def test_it_stays_between_none_and_all(facts: list[str], response: str) -> None:
    found = value(response, *facts)
    assert found is not None
    assert 0.0 <= found <= 1.0


@given(FACTS, st.text(max_size=40))
def test_it_covers_every_fact_that_is_repeated_word_for_word(facts: list[str], between: str) -> None:
    assert value(f"\n{between}\n".join(facts), *facts) == 1.0


@given(FACTS, st.text(max_size=40), st.text(max_size=40))
def test_it_never_falls_when_more_is_said(facts: list[str], response: str, more: str) -> None:
    assert (value(f"x {response} \n {more}", *facts) or 0.0) >= (value(f"x {response}", *facts) or 0.0)


@given(FACTS, st.text(max_size=60))
def test_it_can_be_recomputed_from_its_evidence(facts: list[str], response: str) -> None:
    found = measure(Sample(f"x {response}", key_facts=facts))
    by_hand = [
        5 * len(fact["found"]) >= 3 * (len(fact["found"]) + len(fact["missing"]))
        for fact in found.evidence["statements"]
    ]
    assert found.value == sum(by_hand) / len(by_hand)
