"""Planted errors: the printed scenario, denials, nested answers, the paper's rule, bad input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.rgb.counterfactual import (
    ERROR_DETECTION_KEYWORDS,
    correction,
    corrects_error,
    detects_error,
    find_detection,
)
from scoring.rgb.matching import is_correct


@pytest.mark.parametrize(
    ("response", "detected", "corrected"),
    [
        ("The documents state London, but that is incorrect. The actual capital is Paris.", True, True),
        ("According to the documents, the capital is London.", False, False),
        ("The documents are wrong - the capital is Tokyo.", True, False),
    ],
)
def test_it_judges_the_printed_scenario(response: str, detected: bool, corrected: bool) -> None:
    assert detects_error(response, "London") is detected
    assert corrects_error(response, "Paris", "London") is corrected


@pytest.mark.parametrize("keyword", ERROR_DETECTION_KEYWORDS)
def test_it_finds_every_keyword_in_any_case(keyword: str) -> None:
    assert detects_error(f"x {keyword.upper()} y", None)
    assert detects_error(f"x {keyword.upper()} y", None, literal=True)


@pytest.mark.parametrize("response", ["It is not London.", "Surely, LONDON is not London"])
def test_it_finds_a_denial_of_the_planted_answer(response: str) -> None:
    hit = find_detection(response, "London")
    assert hit == ("not london", "denial of the planted answer")


def test_it_takes_a_denial_of_any_item_and_spelling() -> None:
    assert detects_error("It is not the UK.", [["Britain", "the UK"], "London"])
    assert not detects_error("It is not France.", [["Britain", "the UK"], "London"])


def test_it_folds_the_planted_answer_too() -> None:
    assert detects_error("It is not O'Brien", "O’Brien")
    assert not detects_error("It is not O'Brien", "O’Brien", literal=True)


@pytest.mark.parametrize("fake", [None, "", [], " "])
def test_it_looks_only_for_keywords_without_a_planted_answer(fake: object) -> None:
    assert not detects_error("It is not London.", fake)  # type: ignore[arg-type]


def test_it_knows_the_chinese_phrase_unless_literal() -> None:
    assert detects_error("所提供的文档存在事实性错误。", "伦敦")
    assert not detects_error("所提供的文档存在事实性错误。", "伦敦", literal=True)


def test_it_looks_for_two_phrases_only_by_the_papers_rule() -> None:
    assert detects_error("There are Factual Errors in the provided documents.", rule="paper")
    assert detects_error("存在 事实性错误", rule="paper")
    assert not detects_error("That is wrong.", rule="paper")


def test_it_corrects_without_having_detected() -> None:
    assert corrects_error("Paris", "Paris", "London")
    assert not detects_error("Paris", "London")


def test_it_refuses_the_planted_answer_with_most_of_the_right_words() -> None:
    response, right, fake = (
        "the port is tcp 80 by default, 443 never",
        "default port 443 is tcp",
        "tcp 80 by default",
    )
    found = correction(response, right, fake)
    assert is_correct(response, right)
    assert (found.corrected, found.repeated) == (False, fake)


def test_it_takes_both_answers_where_the_right_one_stands_in_full() -> None:
    assert corrects_error("Not London but Paris", [["Paris", "Paris, France"]], "London")


def test_it_asks_only_for_the_right_answer_by_the_papers_rule() -> None:
    assert corrects_error("London or Paris", "Paris", "London", rule="paper")
    assert not corrects_error("insufficient information; Paris", "Paris", "London", rule="paper")


@given(st.text(max_size=60), st.text(max_size=20), st.text(max_size=20))
def test_it_corrects_only_what_is_correct(response: str, right: str, fake: str) -> None:
    assert corrects_error(response, right, fake) <= is_correct(response, right)


@pytest.mark.parametrize("fake", [7, [7], [["a", None]]])
def test_it_names_a_planted_answer_that_is_no_text(fake: object) -> None:
    with pytest.raises(TypeError, match="counterfactual_answer"):
        detects_error("Paris", fake)  # type: ignore[arg-type]
