"""Marks: a stretch of the response folds to what was looked for, whatever stands around it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scoring.language.text import fold
from scoring.rgb.places import Places

PIECES = [
    "a",
    "It’s",
    "é",
    "e\u0301",
    "\u200b",
    "\u00a0",
    " ",
    "\n\t",
    "ﬁ",
    "İ",
    "½",
    "¨",
    "…",
    "😀",
    "한",
    "\u1112\u1161",
    "ß",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.lists(st.sampled_from(PIECES), max_size=12))
def test_it_marks_a_stretch_that_folds_to_the_needle(before: list[str], after: list[str]) -> None:
    response = "".join([*before, " Let’s  Encrypt ", *after])
    (span,) = Places(response).spans(["let's encrypt"], "good", "")
    assert fold(response[span.start : span.end]) == "Let's Encrypt"


@given(st.text(max_size=50), st.text(max_size=5))
def test_it_marks_within_the_text_or_not_at_all(response: str, needle: str) -> None:
    spans = Places(response).spans([needle], "note", "")
    assert len(spans) == (fold(needle).lower() in fold(response).lower() and fold(needle) != "")
    assert all(0 <= span.start < span.end <= len(response) for span in spans)


def test_it_marks_tokens_without_the_punctuation_that_ends_the_text() -> None:
    response = "Fossil  fuels, and forests."
    spans = Places(response).token_spans(["forests", "fuels", "fuels,"], "good", "")
    assert [response[span.start : span.end] for span in spans] == ["forests", "fuels,"]
