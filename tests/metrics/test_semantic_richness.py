"""Semantic richness: formula, evidence, bad input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measurement import Sample
from scoring.metrics.semantic_richness import measure


def test_it_divides_distinct_words_by_all() -> None:
    found = measure(Sample("The firewall logs. The FIREWALL blocks."))
    assert found.value == 4 / 6
    assert found.evidence["most_used"] == [{"word": "the", "count": 2}, {"word": "firewall", "count": 2}]


def test_it_takes_spellings_that_look_alike_for_one_word() -> None:
    assert measure(Sample("can’t can't ﬁle file")).value == 0.5


@pytest.mark.parametrize("blank", ["", " \n ", "?!", "\u200b"])
def test_it_is_none_without_words(blank: str) -> None:
    assert measure(Sample(blank)).value is None


@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=50), st.integers(2, 5))
def test_it_falls_when_the_text_is_said_again(words: list[str], times: int) -> None:
    text = " ".join(words)
    once, again = measure(Sample(text)).value, measure(Sample(" ".join([text] * times))).value
    assert once is not None
    assert again == pytest.approx(once / times)
