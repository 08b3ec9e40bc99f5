"""The literal reading equals the published algorithm, written out here a second time, on any text."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from scoring import rgb
from scoring.rgb.counterfactual import ERROR_DETECTION_KEYWORDS
from scoring.rgb.rejection import PRIMARY_REJECTION_PHRASES, REJECTION_KEYWORDS

PIECES = [
    *("paris", "PARIS", "london", "port 443", "not london", "london is wrong", "Wrong", "however", "İ", "ß"),
    *("I can’t", "i can't", "unknown", "cannot answer", "not mentioned", "信息不足", "...", "?!", " . ", ","),
    *("the", "a b c d e", "\u00a0", "\n", "\x1c", "\u200b", "-", "–", ""),
]
texts = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join))


@given(texts)
def test_it_normalizes_as_published(text: str) -> None:
    assert rgb.normalize_answer(text, literal=True) == published_normalize(text)


@given(texts, texts, st.booleans())
def test_it_compares_as_published(response: str, truth: str, strict: bool) -> None:
    assert rgb.is_correct(response, truth, strict, literal=True) == published_correct(response, truth, strict)


@given(texts)
def test_it_finds_refusals_as_published(response: str) -> None:
    lowered = response.lower().strip()
    expected = any(phrase in lowered for phrase in (*PRIMARY_REJECTION_PHRASES, *REJECTION_KEYWORDS))
    assert rgb.is_rejection(response, literal=True) == expected


@given(texts, st.one_of(st.none(), texts))
def test_it_detects_as_published(response: str, fake: str | None) -> None:
    assert rgb.detects_error(response, fake, literal=True) == published_detects(response, fake)


@given(texts, texts, st.one_of(st.none(), texts))
def test_it_corrects_as_published(response: str, truth: str, fake: str | None) -> None:
    assert rgb.corrects_error(response, truth, fake, literal=True) == published_corrects(
        response, truth, fake
    )


@given(
    st.text(st.characters(max_codepoint=126, min_codepoint=32), max_size=60).map(
        lambda text: " ".join(text.split())
    )
)
def test_it_reads_plain_ascii_the_same_way_folded_or_literally(response: str) -> None:
    assert rgb.is_rejection(response) == rgb.is_rejection(response, literal=True)
    assert rgb.normalize_answer(response) == rgb.normalize_answer(response, literal=True)


def published_normalize(answer: str) -> str:
    return " ".join(re.sub(r"[.!?,;:]+$", "", answer.lower().strip()).split())


def published_correct(response: str, truth: str, strict: bool = False) -> bool:
    given_text, wanted = published_normalize(response), published_normalize(truth)
    if not given_text or not wanted:
        return False
    if strict:
        return given_text == wanted
    tokens = set(wanted.split())
    return (
        wanted in given_text
        or (len(given_text) < len(wanted) and given_text in wanted)
        or len(tokens & set(given_text.split())) / len(tokens) >= 0.8
    )


def published_detects(response: str, fake: str | None) -> bool:
    lowered = response.lower()
    if any(keyword in lowered for keyword in ERROR_DETECTION_KEYWORDS):
        return True
    if not fake:
        return False
    return f"not {fake.lower()}" in lowered or f"{fake.lower()} is wrong" in lowered


def published_corrects(response: str, truth: str, fake: str | None) -> bool:
    if not published_correct(response, truth):
        return False
    text = published_normalize(response)
    if fake and published_normalize(fake) in text:
        return published_normalize(truth) in text
    return True
