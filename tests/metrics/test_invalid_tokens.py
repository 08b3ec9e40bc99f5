"""Invalid tokens: the four signs, the marks, bad input."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measurement import Sample
from scoring.metrics.invalid_tokens import BANDS, measure


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Clean text: 100 % of it!", 0.0),
        ("‘Quotes’ — and “dashes” – fold…", 0.0),
        ("443", 0.0),
        ("An arrow → here", 0.25),
        ("NUL \x00 here", 0.25),
        ("very very very bad", 0.25),
        ("Very, very. VERY bad", 0.25),
        ("very very bad bad", 0.0),
        ("aaaa", 0.25),
        ("Aaaa", 0.25),
        ("aaa www ---- 0000", 0.0),
        ("防火墙", 0.5),
        ("no No NO → aaaa", 0.75),
    ],
)
def test_it_adds_a_quarter_for_each_sign(text: str, value: float) -> None:
    assert measure(Sample(text)).value == value


def test_it_adds_a_quarter_of_the_share_of_foreign_letters() -> None:
    found = measure(Sample("naïve"))
    assert found.value == pytest.approx(0.25 + 0.25 / 5)
    assert found.evidence["letters_outside_a_to_z"] == 1


def test_it_names_the_odd_characters_and_marks_them() -> None:
    response = "go  → there \ud800"
    found = measure(Sample(response))
    assert found.evidence["weird_characters"] == [
        {"character": "U+2192 RIGHTWARDS ARROW", "count": 1},
        {"character": "U+D800 without a name", "count": 1},
    ]
    assert [response[span.start : span.end] for span in found.spans] == ["→", "\ud800"]


def test_it_marks_a_stutter_once_however_long() -> None:
    response = "yes " * 7 + "no"
    found = measure(Sample(response))
    assert [response[span.start : span.end] for span in found.spans] == [("yes " * 7).strip()]


def test_it_keeps_clean_output_apart_from_minor_issues() -> None:
    assert [band.label for band in BANDS if band.start <= 0.0][-1] == "clean output"
    assert [band.label for band in BANDS if band.start <= 0.01][-1] == "minor issues"


@pytest.mark.parametrize("blank", ["", " \n\t", "\u200b\ufeff"])
def test_it_is_none_for_a_blank_answer(blank: str) -> None:
    assert measure(Sample(blank)).value is None


@given(st.text(alphabet=st.characters(codec=None), max_size=80))
def test_it_stays_within_its_range_and_can_be_stored(text: str) -> None:
    found = measure(Sample(text))
    assert found.value is None or 0.0 <= found.value <= 1.0
    json.dumps(found.evidence, allow_nan=False).encode()
    assert all(0 <= span.start < span.end <= len(text) for span in found.spans)
