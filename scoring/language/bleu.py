"""Answers to one question go in, the BLEU-4 of each against all the others comes out.

Equal to sacreBLEU's sentence BLEU with `effective_order`, exponential smoothing and lower case, on tokens
`\\w+|[^\\w\\s]` of folded text. N-grams are counted once per answer, not once per pair of answers.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from scoring.language.text import fold

ORDERS = 4

_TOKEN = re.compile(r"\w+|[^\w\s]")


class Bleu(NamedTuple):
    """One answer's BLEU, 0 to 100, and what it is made of; the lists run over the orders 1 to 4."""

    score: float
    matches: list[int]
    totals: list[int]
    length: int
    reference_length: int

    @property
    def brevity_penalty(self) -> float:
        """What an answer shorter than its nearest reference is multiplied by."""
        if not self.length:
            return 0.0
        return math.exp(min(0.0, 1 - self.reference_length / self.length))


def tokens(text: str) -> list[str]:
    """Split folded text, in lower case, into words and single marks.

    >>> tokens("Don\u2019t use Telnet.")
    ['don', "'", 't', 'use', 'telnet', '.']
    """
    return _TOKEN.findall(fold(text).lower())


def each_against_others(answers: Sequence[str]) -> list[Bleu]:
    """Score every answer with all other answers as its references.

    >>> [round(bleu.score, 2) for bleu in each_against_others(["a b c d e", "a b c d f", "x y"])]
    [66.87, 66.87, 0.0]
    """
    if len(answers) < 2:
        raise ValueError("answers must hold at least two answers, to compare one with another.")
    texts = [tokens(answer) for answer in answers]
    lengths = [len(text) for text in texts]
    matches = list(zip(*(_matches(texts, order) for order in range(1, ORDERS + 1)), strict=True))
    return [
        _bleu(list(matched), length, _nearest(length, lengths[:index] + lengths[index + 1 :]))
        for index, (matched, length) in enumerate(zip(matches, lengths, strict=True))
    ]


def _matches(texts: Sequence[Sequence[str]], order: int) -> list[int]:
    """Count each text's n-grams that others have too, at most as often as the other that has most.

    That is at most as often as the second highest count of all: whoever has most is held to the second,
    and nobody else has more than it.
    """
    counts = [Counter(zip(*(text[shift:] for shift in range(order)), strict=False)) for text in texts]
    shared = {gram for gram, holders in Counter(chain.from_iterable(counts)).items() if holders > 1}
    # Seldom does a text say anything twice but its words: then being shared is all there is to count.
    if all(len(count) == len(text) - order + 1 for count, text in zip(counts, texts, strict=True) if count):
        return [len(shared.intersection(count)) for count in counts]
    seconds = {gram: sorted([count.get(gram, 0) for count in counts])[-2] for gram in shared}
    return [sum([min(count[gram], seconds[gram]) for gram in shared.intersection(count)]) for count in counts]


def _nearest(length: int, others: Sequence[int]) -> int:
    """Pick the reference length nearest to the answer's; of two as near, the shorter."""
    return min(others, key=lambda other: (abs(other - length), other))


def _bleu(matches: list[int], length: int, reference_length: int) -> Bleu:
    totals = [max(0, length - order) for order in range(ORDERS)]
    bleu = Bleu(0.0, matches, totals, length, reference_length)
    if not any(matches):
        return bleu
    logs = list(_log_precisions(matches, totals))
    return bleu._replace(score=100 * bleu.brevity_penalty * math.exp(math.fsum(logs) / len(logs)))


def _log_precisions(matches: Sequence[int], totals: Sequence[int]) -> Iterator[float]:
    """Take the orders that the answer is long enough for; halve what stands for no match each time."""
    smoothing = 1.0
    for matched, total in zip(matches, totals, strict=True):
        if not total:
            return
        if not matched:
            smoothing /= 2
        yield math.log((matched or smoothing) / total)
