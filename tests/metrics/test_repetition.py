"""Repetition: published example, formula, marks, bad input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.language.bare_words import bare_words
from scoring.measurement import Sample
from scoring.metrics.repetition import measure, ngrams, score

REPETITIVE = (
    "The attack uses SQL injection. SQL injection allows attackers to inject SQL. SQL injection is dangerous."
)


def test_it_counts_positions_of_repeated_phrases() -> None:
    found = measure(Sample("Patch the server. Patch the server now."))
    assert found.value == 2 / 5
    assert found.evidence["repeated"] == [{"phrase": "patch the server", "count": 2}]


def test_it_finds_no_three_words_twice_in_the_published_example_of_repetition() -> None:
    assert measure(Sample(REPETITIVE)).value == 0.0
    assert score(REPETITIVE, n=2) == 3 / 15


def test_it_ignores_case_punctuation_and_typography() -> None:
    assert measure(Sample("Don’t open links! DON'T, open: links")).value == pytest.approx(2 / 4)


def test_it_marks_each_run_of_repeated_phrases_once() -> None:
    response = "Lock it down now. Wait. «Lock  it down now»"
    found = measure(Sample(response))
    assert [response[span.start : span.end] for span in found.spans] == [
        "Lock it down now",
        "Lock  it down now",
    ]


@pytest.mark.parametrize("blank", ["", "  ", "...", "two words"])
def test_it_is_none_without_a_phrase_of_three_words(blank: str) -> None:
    assert measure(Sample(blank)).value is None
    assert score(blank) is None


def test_it_refuses_phrases_of_no_words() -> None:
    with pytest.raises(ValueError, match="n must be at least 1"):
        score("a b c", n=0)


def test_it_is_one_when_everything_is_said_twice() -> None:
    assert score("alert " * 50) == 1.0


@given(st.text(max_size=200), st.integers(1, 4))
def test_it_agrees_with_a_count_by_hand(text: str, n: int) -> None:
    grams = ngrams(bare_words(text), n)
    by_hand = sum(grams.count(gram) > 1 for gram in grams) / len(grams) if grams else None
    assert score(text, n) == by_hand
