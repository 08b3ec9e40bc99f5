"""BLEU of each answer against the others equals sacreBLEU's, on random texts and on real ones."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from scoring.language import bleu

REFERENCE = BLEU(tokenize="none", smooth_method="exp", effective_order=True)

texts = st.lists(st.text(alphabet="abc .,", max_size=40), min_size=2, max_size=6)


def reference(answers: list[str]) -> list[float]:
    split = [" ".join(bleu.tokens(answer)) for answer in answers]
    return [
        float(REFERENCE.sentence_score(text, split[:index] + split[index + 1 :]).score)
        for index, text in enumerate(split)
    ]


@given(texts)
def test_it_equals_sacrebleu_on_random_short_texts(answers: list[str]) -> None:
    assert [one.score for one in bleu.each_against_others(answers)] == pytest.approx(reference(answers))


@pytest.mark.parametrize("seed", range(20))
def test_it_equals_sacrebleu_on_random_long_texts(seed: int) -> None:
    chance = random.Random(seed)
    words = [f"word{chance.randrange(60)}" for _ in range(200)]
    answers = [" ".join(chance.sample(words, 120)) + " and so on." * chance.randrange(3) for _ in range(5)]
    assert [one.score for one in bleu.each_against_others(answers)] == pytest.approx(reference(answers))


def test_it_equals_sacrebleu_on_any_script() -> None:
    answers = ["Block port 443, don’t wait.", "block PORT 443; don't wait!", "封锁端口 443。", "🔥 port", ""]
    assert [one.score for one in bleu.each_against_others(answers)] == pytest.approx(reference(answers))


def test_it_equals_sacrebleu_when_each_answer_holds_most_of_another_word() -> None:
    answers = ["a a a a b c", "a a b b b c", "c c c a b", "a"]
    assert [one.score for one in bleu.each_against_others(answers)] == pytest.approx(reference(answers))
