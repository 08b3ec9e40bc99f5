"""Refusals: the printed examples, folding, Chinese, the paper's rule, bad input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.rgb.rejection import PRIMARY_REJECTION_PHRASES, REJECTION_KEYWORDS, find_rejection, is_rejection


@pytest.mark.parametrize(
    ("response", "keyword"),
    [
        ("I cannot answer this question because the documents don't contain it.", "cannot answer"),
        ("Based on the provided documents, I cannot determine the answer.", "i cannot"),
        ("The documents do not mention this topic, so I cannot provide an answer.", "i cannot"),
        ("The answer is probably 42 but I'm not sure.", "i'm not sure"),
    ],
)
def test_it_finds_the_printed_refusals_at_the_keyword_that_comes_first(response: str, keyword: str) -> None:
    hit = find_rejection(response)
    assert hit is not None
    assert hit.keyword == keyword


def test_it_finds_no_refusal_in_the_printed_answer() -> None:
    assert not is_rejection("Based on the information, the answer is London.")


def test_it_does_not_take_not_mention_for_not_mentioned() -> None:
    # The prose beside the third example reads it as a hit; the code looks for "not mentioned".
    assert not is_rejection("The documents do not mention this topic.")
    assert is_rejection("This topic is not mentioned.")


def test_it_prefers_the_papers_sentence_to_the_keywords_inside_it() -> None:
    hit = find_rejection(
        "I can not answer the question because of the insufficient information in documents."
    )
    assert hit == (PRIMARY_REJECTION_PHRASES[0], "primary phrase")


def test_it_matches_a_typographic_apostrophe_unless_literal() -> None:
    assert is_rejection("I can’t say.")
    assert not is_rejection("I can’t say.", literal=True)


def test_it_matches_across_line_breaks_and_invisible_characters() -> None:
    assert is_rejection("There is no\n relevant source.")
    assert is_rejection("It is un\u00adknown.")


def test_it_knows_the_chinese_phrase_unless_literal() -> None:
    assert is_rejection("由于文档信息不足，我无法回答该问题。")
    assert is_rejection("文档 信息 不足")
    assert not is_rejection("由于文档信息不足", literal=True)


def test_it_looks_for_two_phrases_only_by_the_papers_rule() -> None:
    assert is_rejection("INSUFFICIENT INFORMATION in the text", rule="paper")
    assert is_rejection("信息不足", rule="paper")
    assert not is_rejection("I cannot answer.", rule="paper")


@pytest.mark.parametrize("keyword", PRIMARY_REJECTION_PHRASES + REJECTION_KEYWORDS)
def test_it_finds_every_keyword_in_any_case(keyword: str) -> None:
    assert is_rejection(f"Well, {keyword.upper()} then.")
    assert is_rejection(f"Well, {keyword.upper()} then.", literal=True)


def test_it_holds_the_published_lists_and_no_more() -> None:
    assert (len(PRIMARY_REJECTION_PHRASES), len(REJECTION_KEYWORDS)) == (4, 24)
    assert len(set(REJECTION_KEYWORDS)) == 24


@given(st.text(max_size=80), st.text(max_size=80))
def test_it_stays_a_refusal_whatever_stands_around(before: str, after: str) -> None:
    assert is_rejection(f"{before} cannot answer {after}")


@pytest.mark.parametrize("response", ["", " ", "\x00", "\ud800", "😀", "\u202eunk\u202c"])
def test_it_finds_none_where_there_is_nothing_to_read(response: str) -> None:
    assert not is_rejection(response)


def test_it_names_a_response_that_is_no_text() -> None:
    with pytest.raises(TypeError, match="response must be text, not int"):
        is_rejection(3)  # type: ignore[arg-type]
