"""Two rows to the fields that differ."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scoring.differences import MOST_WORDS, Piece, between, pieces


def test_it_lists_fields_that_came_went_and_changed() -> None:
    found = between({"a": "1", "b": "2", "c": "3"}, {"b": "2", "c": "4", "d": "5"})

    assert [(change.name, [piece.kind for piece in change.pieces]) for change in found] == [
        ("c", ["removed", "added"]),
        ("d", ["added"]),
        ("a", ["removed"]),
    ]


def test_it_compares_lists_line_by_line_and_objects_field_by_field() -> None:
    old = {"key_facts": ["One.", "Two."], "metadata": {"domain": "IT", "author": "x"}}
    new = {"key_facts": ["One.", "Three."], "metadata": {"domain": "OT", "author": "x"}}

    assert [change.name for change in between(old, new)] == ["key_facts", "metadata.domain"]
    assert between(old, new)[0].pieces[0] == Piece("same", "One.\n")


def test_it_tells_a_text_from_a_number_that_looks_like_it() -> None:
    (change,) = between({"a": 1}, {"a": "1"})

    assert change.pieces == [Piece("added", '"'), Piece("same", "1"), Piece("added", '"')]


@given(st.text(), st.text())
def test_it_loses_no_character(old: str, new: str) -> None:
    found = pieces(old, new)

    assert "".join(piece.text for piece in found if piece.kind != "added") == old
    assert "".join(piece.text for piece in found if piece.kind != "removed") == new


def test_it_does_not_compare_word_by_word_what_is_too_long_for_a_page() -> None:
    long = "word " * MOST_WORDS

    assert [piece.kind for piece in pieces(long, long + "more")] == ["removed", "added"]
