"""Five answers to each of 500 questions go in; how long their Self-BLEU takes comes out, here and elsewhere.

What counts is the processor's time, so that other work on the machine does not.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from benchmarks.table import Row, print_table
from scoring.language import bleu

QUESTIONS, ANSWERS, WORDS = 500, 5, 100

_VOCABULARY = [f"{stem}{ending}" for stem in ("net", "fire", "crypt", "log", "port") for ending in range(80)]

Answers = Sequence[Sequence[str]]


def measure() -> list[Row]:
    """Time the same work by three implementations, in turns, on answers that share most of their words."""
    answers = _answers(random.Random(8))
    ways = {"ours": _ours, "sacrebleu": _sacrebleu, "nltk": _nltk}
    seconds = dict.fromkeys(ways, float("inf"))
    for _ in range(2):
        for name, way in ways.items():
            seconds[name] = min(seconds[name], _seconds(way, answers))
    what = f"Self-BLEU, {ANSWERS} answers x {QUESTIONS} questions"
    best = min(seconds["sacrebleu"], seconds["nltk"])
    return [
        Row(f"{what}, ours", f"{seconds['ours']:.2f} s", f"< {best:.2f} s", seconds["ours"] < best),
        Row(f"{what}, sacrebleu", f"{seconds['sacrebleu']:.2f} s", "", None),
        Row(f"{what}, nltk", f"{seconds['nltk']:.2f} s", "", None),
    ]


def _ours(answers: Answers) -> None:
    for group in answers:
        bleu.each_against_others(group)


def _sacrebleu(answers: Answers) -> None:
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(lowercase=True, tokenize="none", smooth_method="exp", effective_order=True)
    for group in answers:
        split = [" ".join(bleu.tokens(answer)) for answer in group]
        for index, text in enumerate(split):
            metric.sentence_score(text, split[:index] + split[index + 1 :])


def _nltk(answers: Answers) -> None:
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    smoothing = SmoothingFunction().method3
    for group in answers:
        split = [bleu.tokens(answer) for answer in group]
        for index, text in enumerate(split):
            sentence_bleu(split[:index] + split[index + 1 :], text, smoothing_function=smoothing)


def _seconds(way: Callable[[Answers], None], answers: Answers) -> float:
    start = time.process_time()
    way(answers)
    return time.process_time() - start


def _answers(chance: random.Random) -> list[list[str]]:
    return [[_variant(common, chance) for _ in range(ANSWERS)] for common in _common(chance)]


def _common(chance: random.Random) -> list[list[str]]:
    return [chance.choices(_VOCABULARY, k=WORDS) for _ in range(QUESTIONS)]


def _variant(common: Sequence[str], chance: random.Random) -> str:
    words = [word if chance.random() < 0.7 else chance.choice(_VOCABULARY) for word in common]
    return " ".join(words[: chance.randint(WORDS // 2, WORDS)]) + "."


if __name__ == "__main__":
    print_table(measure())
