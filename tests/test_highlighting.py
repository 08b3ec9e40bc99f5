"""Marking a text: pieces in order, nothing lost, the gravest mark on top."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scoring.highlighting import Stretch, stretches

SPANS = st.lists(
    st.tuples(
        st.integers(-3, 40),
        st.integers(-3, 40),
        st.sampled_from(["good", "bad", "note"]),
        st.text(max_size=3),
    ),
    max_size=8,
)


@given(st.text(max_size=30), SPANS)
def test_it_loses_no_character(text: str, spans: list[tuple[int, int, str, str]]) -> None:
    assert "".join(piece.text for piece in stretches(text, spans)) == text


def test_it_lets_bad_outshine_good_where_they_overlap() -> None:
    found = stretches("abcdef", [(0, 4, "good", "g"), (2, 6, "bad", "b")])
    assert found == [Stretch("ab", "good", "g"), Stretch("cd", "bad", "g; b"), Stretch("ef", "bad", "b")]


def test_it_marks_nothing_without_spans() -> None:
    assert stretches("abc", []) == [Stretch("abc", "", "")]


def test_it_has_nothing_to_say_of_an_empty_text() -> None:
    assert stretches("", [(0, 3, "bad", "x")]) == []
