"""Chunks of bytes to numbered lines."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.jsonl.lines import LONGEST_LINE, BadLine, Line, split


def test_it_numbers_lines_and_skips_blank_ones() -> None:
    found = list(split([b"one\n\n  \t\nfour\n"]))

    assert found == [Line(1, "one", ended=True), Line(4, "four", ended=True)]


def test_it_says_when_the_last_line_has_no_end() -> None:
    assert list(split([b"one\ntwo"]))[-1] == Line(2, "two", ended=False)


def test_it_takes_line_ends_of_windows() -> None:
    found = [line.text.strip() for line in split([b"one\r\n\r\ntwo\r\n"]) if isinstance(line, Line)]

    assert found == ["one", "two"]


def test_it_drops_the_byte_order_mark_of_utf_8() -> None:
    assert list(split([b"\xef", b"\xbb\xbf{}\n"])) == [Line(1, "{}", ended=True)]


@given(st.text(), st.integers(1, 9))
def test_it_gives_the_same_lines_however_the_bytes_are_cut(text: str, size: int) -> None:
    content = b"first line\n" + text.encode()
    chunks = [content[start : start + size] for start in range(0, len(content), size)]

    assert list(split(chunks)) == list(split([content]))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_it_names_utf_16(encoding: str) -> None:
    assert list(split(['{"a": 1}'.encode(encoding)])) == [BadLine(None, "is UTF-16 text: save it as UTF-8.")]


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-le", "utf-32-be"])
def test_it_names_utf_32(encoding: str) -> None:
    assert list(split(['{"a": 1}'.encode(encoding)])) == [BadLine(None, "is UTF-32 text: save it as UTF-8.")]


def test_it_says_which_byte_is_not_utf_8() -> None:
    found = list(split(['{"a": 1}\n{"b": "café"}\n'.encode("latin-1")]))

    reason = "is not UTF-8: byte 11 of the line is 0xE9. Save the file as UTF-8."
    assert found == [Line(1, '{"a": 1}', ended=True), BadLine(2, reason)]


def test_it_refuses_a_long_line_and_goes_on_after_it() -> None:
    found = list(split([b"short\n", b"x" * 60, b"x" * 60, b"\nshort again\n"], longest=100))

    reason = "is 120 bytes long; the longest line allowed has 100."
    assert found == [Line(1, "short", ended=True), BadLine(2, reason), Line(3, "short again", ended=True)]


def test_it_refuses_a_long_line_without_an_end() -> None:
    (found,) = split([b"x" * 60, b"x" * 60], longest=100)

    assert found == BadLine(1, "is 120 bytes long; the longest line allowed has 100.")


def test_it_never_holds_a_long_line() -> None:
    tracemalloc.start()
    (found,) = split(_endless(50 * 1024 * 1024))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert found == BadLine(1, f"is 52,428,800 bytes long; the longest line allowed has {LONGEST_LINE:,}.")
    assert peak < 4 * 1024 * 1024


def _endless(size: int) -> Iterator[bytes]:
    for _ in range(size // 65536):
        yield b"x" * 65536
