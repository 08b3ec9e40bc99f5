"""Rejection: the keyword and where it stands, when it is undefined, the flags."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measurement import Sample
from scoring.metrics.rejection import EXAMPLE, measure
from scoring.rgb.rejection import is_rejection


def test_it_names_the_keyword_and_marks_it() -> None:
    found = measure(EXAMPLE)
    span = found.spans[0]
    assert (found.value, found.evidence["keyword"]) == (1.0, "cannot determine")
    assert EXAMPLE.response[span.start : span.end] == "cannot determine"
    assert found.evidence["start"] == span.start


def test_it_marks_a_keyword_with_a_typographic_apostrophe() -> None:
    response = "Sorry — I can’t say"
    span = measure(Sample(response)).spans[0]
    assert response[span.start : span.end] == "I can’t"


def test_it_scores_an_answer_zero_and_says_why() -> None:
    found = measure(Sample("Based on the information, the answer is London."))
    assert (found.value, found.why) == (0.0, "The response contains no keyword of a refusal.")


def test_it_finds_a_spaced_chinese_phrase_without_a_place_to_mark() -> None:
    found = measure(Sample("文档 信息 不足"))
    assert (found.value, found.spans, found.evidence["start"]) == (1.0, [], None)


def test_it_flags_a_refusal_that_gives_the_answer_all_the_same() -> None:
    found = measure(Sample("I am not sure, perhaps Paris.", answers="Paris"))
    assert found.flags == ("The response declines and yet gives the expected answer.",)


@pytest.mark.parametrize("response", ["", " ", "no"])
def test_it_flags_a_response_under_three_characters(response: str) -> None:
    found = measure(Sample(response))
    assert found.value == 0.0
    assert len(found.flags) == 1


@pytest.mark.parametrize(
    "ability", ["noise_robustness", "information_integration", "counterfactual_robustness"]
)
def test_it_is_none_where_the_documents_hold_an_answer(ability: str) -> None:
    assert measure(Sample("I cannot answer.", benchmark=ability)).value is None


def test_it_scores_by_the_papers_rule_when_set() -> None:
    found = measure(Sample("I cannot answer.", settings={"scorer": "paper"}))
    assert (found.value, found.evidence["rule"]) == (0.0, "paper")


def test_it_names_a_scorer_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match="scorer: there is no rule 'strict'"):
        measure(Sample("x", settings={"scorer": "strict"}))


@given(st.text(max_size=80))
def test_it_agrees_with_the_plain_function(response: str) -> None:
    assert measure(Sample(response)).value == float(is_rejection(response))
