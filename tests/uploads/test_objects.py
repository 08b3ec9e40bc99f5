"""One line of text to an exact JSON object, or every reason why not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.jsonl.objects import parse
from scoring.jsonl.reasons import DEEPEST, ObjectError
from scoring.rows import Problem

_TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
_NUMBERS = st.integers(-(2**53), 2**53) | st.floats(-(2.0**53), 2.0**53)
_VALUES = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=12,
)


def _problems(text: str) -> list[Problem]:
    with pytest.raises(ObjectError) as caught:
        parse(text)
    return list(caught.value.problems)


@given(st.dictionaries(_TEXTS, _VALUES, max_size=5))
def test_it_reads_every_exact_object_and_writes_it_the_same_way_again(row: dict[str, Any]) -> None:
    found, canonical = parse(json.dumps(row, indent=1))

    assert found == row
    assert parse(canonical.decode()) == (found, canonical)


def test_it_writes_one_form_whatever_the_order_spaces_and_escapes() -> None:
    assert parse('{"b":1,"a":"\\u00e9"}')[1] == parse(' { "a" : "é", "b" : 1 } ')[1]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{'a': 1}", 'unexpected "\'" at column 2 (names and texts stand in double quotation marks)'),
        ('{"a": None}', "unexpected 'N' at column 7 (write null for nothing)"),
        ('{"a": True}', "unexpected 'T' at column 7 (write true in small letters)"),
        ('{"a": 1,}', "a comma stands before the closing bracket at column 9: take it away"),
        ('{"a": 1} {"b": 2}', "something follows the end of the value at column 10: start a new line there"),
        ('{"a": "\t"}', "a tab or another control character stands inside a text at column 8"),
        ('{"a": "\\d"}', "a backslash at column 8 starts no known escape"),
        ('{"a": 1', "the line ends before the object does"),
        ('{"a": "b', "the line ends before the object does"),
        ("hello", "unexpected 'h' at column 1 (expecting value)"),
    ],
)
def test_it_says_where_and_why_a_line_is_not_valid_json(text: str, reason: str) -> None:
    (problem,) = _problems(text)

    assert problem.reason.startswith(f"is not valid JSON: {reason}")


@pytest.mark.parametrize(
    ("text", "kind"),
    [("[{}]", "a list"), ('"a"', "a text"), ("1.5", "a number"), ("null", "null"), ("true", "true or false")],
)
def test_it_refuses_what_is_no_object(text: str, kind: str) -> None:
    assert _problems(text) == [Problem("", f"is {kind}, not a JSON object.")]


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_it_refuses_what_is_not_a_number(constant: str) -> None:
    reason = f"{constant} is not JSON: leave the field out, or write null."

    assert _problems(f'{{"a": [0, {constant}]}}') == [Problem("a[1]", reason)]


@pytest.mark.parametrize("number", ["9007199254740993", "-9007199254740993", "1e999", "1e16", "7" * 5000])
def test_it_refuses_numbers_that_would_not_come_out_as_they_went_in(number: str) -> None:
    ((field, reason),) = _problems(f'{{"a": {{"b": {number}}}}}')

    assert field == "a.b"
    assert "is out of range: the largest is 9,007,199,254,740,992." in reason


@pytest.mark.parametrize("number", [2**53, -(2**53), 10**15, -1])
def test_it_keeps_large_numbers_that_are_exact(number: int) -> None:
    assert parse(f'{{"a": {number}}}')[0] == {"a": number}


def test_it_names_keys_that_occur_twice_at_any_depth() -> None:
    found = _problems('{"a": 1, "b": [{"c": 1, "d": 2, "c": 3}], "a": 2}')

    assert [problem.field for problem in found] == ["a", "b[0].c"]
    assert found[0].reason == "occurs more than once in its object."


def test_it_names_the_only_key_that_occurs_twice_among_very_many() -> None:
    names = [*range(100_000), 4_711]

    (problem,) = _problems("{" + ",".join(f'"{name}":0' for name in names) + "}")
    assert problem == Problem("4711", "occurs more than once in its object.")


def test_it_names_the_field_with_a_nul_character() -> None:
    reason = "holds a NUL character (\\u0000) at position 3: take it away."

    assert _problems('{"metadata": {"author": "ab\\u0000"}}') == [Problem("metadata.author", reason)]


def test_it_names_the_field_with_half_a_character() -> None:
    reason = "holds half a character (a lone surrogate, \\ud83d) at position 1: take it away."

    assert _problems('{"key_facts": ["fine", "\\ud83d"]}') == [Problem("key_facts[1]", reason)]


def test_it_refuses_odd_characters_in_names_and_shows_them_safely() -> None:
    (problem,) = _problems('{"a\\u0000": 1}')

    assert problem.reason.startswith("the name 'a\\\\u0000' holds a NUL character")


def test_it_takes_pairs_of_surrogates_and_text_about_escapes() -> None:
    assert parse('{"a": "\\ud83d\\ude00", "b": "\\\\u0000"}')[0] == {"a": "😀", "b": "\\u0000"}


@pytest.mark.parametrize("depth", [DEEPEST + 1, 900, 100_000])
def test_it_refuses_deep_nesting_however_deep(depth: int) -> None:
    text = '{"a":' + "[" * (depth - 1) + "]" * (depth - 1) + "}"

    assert _problems(text) == [Problem("", f"is nested more than {DEEPEST} levels deep.")]


def test_it_takes_nesting_up_to_the_limit_and_brackets_in_texts() -> None:
    deepest = '{"a":' + "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1) + "}"

    assert parse(deepest)[1].decode() == deepest
    assert parse(json.dumps({"a": "[" * 1000}))[0] == {"a": "[" * 1000}


def test_it_finds_all_that_is_odd_in_a_line() -> None:
    text = '{"a": NaN, "b": "\\u0000", "c": {"d": 1e400, "d": 1e400}}'

    assert [problem.field for problem in _problems(text)] == ["a", "b", "c.d", "c.d"]
