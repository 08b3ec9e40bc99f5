"""The lexical view: the same words as `text.words`, and every place found again in the response."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.language import lexical, text
from scoring.language.lexical import View

# Capitals with a small form of two characters lose its second one here; text.words keeps it.
TEXTS = st.text(st.characters(exclude_categories=(), exclude_characters="İ"), max_size=120) | st.text(
    st.sampled_from("ab. '-_5\n’“–\u00ad\u0301éＡ合🛡"), max_size=60
)


@given(TEXTS)
def test_it_has_the_words_of_the_folded_text(source: str) -> None:
    expected = [word.text for word in text.words(text.fold(source))]
    assert View(source).words == expected
    assert View(source).count() == len(expected)
    assert lexical.words(source) == expected


@given(TEXTS)
def test_it_folds_as_the_text_module_does(source: str) -> None:
    assert text.fold(View(source).text) == text.fold(source)


@given(TEXTS)
def test_it_finds_every_word_again_in_the_response(source: str) -> None:
    shown = View(source)
    for word in set(shown.words):
        for start, end in shown.occurrences(word):
            first, last = shown.span(start, end)
            assert 0 <= first < last <= len(source)
            assert (
                word in [found.text for found in text.words(text.fold(source[first:last]))]
                or not word.isascii()
            )


@pytest.mark.parametrize(
    ("source", "phrase", "places"),
    [
        ("a b a b", "a b", ["a b", "a b"]),
        ("A,\n b", "a b", ["A,\n b"]),
        ("xa b", "a b", []),
        ("“Isn’t” it", "isn't it", ["Isn’t” it"]),
        ("ﬁne com\u00adply", "fine comply", ["ﬁne com\u00adply"]),
        ("cafe\u0301 noir", "café noir", ["cafe\u0301 noir"]),
        ("anything", "", []),
    ],
)
def test_it_finds_a_phrase_where_it_stands(source: str, phrase: str, places: list[str]) -> None:
    shown = View(source)
    spans = [shown.span(*place) for place in shown.occurrences(phrase)]
    assert [source[start:end] for start, end in spans] == places


@pytest.mark.parametrize("source", ["", " \n", "\u200b\ufeff", "\x00\ud800"])
def test_it_calls_blank_what_nobody_can_see(source: str) -> None:
    assert View(source).blank


@pytest.mark.parametrize("source", ["a", ".", "🛡", "é", " 合 "])
def test_it_calls_nothing_else_blank(source: str) -> None:
    assert not View(source).blank


def test_it_finds_numbers_whole() -> None:
    for source in ("Clause 5.1.3, 24 hours. x7 5.2.", "Clause 5.1.3, 24 hours. é7 5.2."):
        shown = View(source)
        assert [shown.text[start:end] for start, end in shown.numbers()] == ["5.1.3", "24", "7", "5.2"]


def test_it_keeps_what_every_store_takes() -> None:
    assert lexical.excerpt("a\x00b\ud800c") == "a\ufffdb\ufffdc"
