"""A question's documents and a noise level go in, the shuffled documents of its prompt come out."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Literal, NamedTuple

Kind = Literal["relevant", "noise", "wrong"]

DOCUMENTS = 5


class Document(NamedTuple):
    """A document and what it is to the question; the model sees only the text."""

    text: str
    kind: Kind


class Mixture(NamedTuple):
    """The documents in the order shown, and what could not be had as asked."""

    documents: tuple[Document, ...]
    notes: tuple[str, ...] = ()

    def count(self, kind: Kind) -> int:
        """Count the documents of one kind."""
        return sum(document.kind == kind for document in self.documents)


def noise_count(count: int, noise: float) -> int:
    """Round the share of noise up to whole documents.

    >>> [noise_count(5, noise) for noise in (0.0, 0.2, 0.3, 0.8, 1.0)]
    [0, 1, 2, 4, 5]
    """
    if not 0.0 <= noise <= 1.0:
        raise ValueError(f"noise must lie between 0.0 and 1.0, not {noise}.")
    if count < 1:
        raise ValueError(f"documents must be at least 1, not {count}.")
    # Rounded first: 100 x 0.07 is 7.000000000000001 to a computer.
    return math.ceil(round(count * noise, 9))


def mix(
    positive: Sequence[str], negative: Sequence[str], *, noise: float, seed: int | str, count: int = DOCUMENTS
) -> Mixture:
    """Mix relevant documents with noise; where one kind runs out the other fills its place.

    Full noise is the rejection test, so there no relevant document ever fills a gap.

    >>> mixture = mix(["a", "b", "c"], ["x", "y", "z"], noise=0.4, seed=7)
    >>> mixture.count("relevant"), mixture.count("noise")
    (3, 2)
    """
    wanted = noise_count(count, noise)
    relevant = 0 if noise == 1.0 else min(count - min(wanted, len(negative)), len(positive))
    noisy = min(count - relevant, len(negative))
    documents = _labelled(positive[:relevant], "relevant") + _labelled(negative[:noisy], "noise")
    return _shuffled(documents, seed, _shortages(count, wanted, relevant, noisy))


def mix_parts(
    positive: Sequence[Sequence[str]],
    negative: Sequence[str],
    *,
    noise: float,
    seed: int | str,
    count: int = DOCUMENTS,
) -> Mixture:
    """Mix the documents of several sub-questions: one of each at least, then in turn, then noise.

    >>> mixture = mix_parts([["a1", "a2"], ["b1"]], ["x", "y", "z"], noise=0.4, seed=7)
    >>> sorted(document.text for document in mixture.documents)
    ['a1', 'a2', 'b1', 'x', 'y']
    """
    wanted = noise_count(count, noise)
    parts = [_reordered(part, seed) for part in positive]
    in_turn = [text for text in chain.from_iterable(zip_longest(*parts)) if text is not None]
    relevant = in_turn[: max(count - wanted, len([part for part in parts if part]))]
    noisy = list(negative[: max(count - len(relevant), 0)])
    documents = _labelled(relevant, "relevant") + _labelled(noisy, "noise")
    return _shuffled(documents, seed, _shortages(count, wanted, len(relevant), len(noisy)))


def mix_wrong(
    positive_wrong: Sequence[str],
    negative: Sequence[str],
    *,
    noise: float,
    seed: int | str,
    count: int = DOCUMENTS,
) -> Mixture:
    """Mix documents that carry the planted error, one at least, with noise; nothing fills a gap.

    >>> mix_wrong(["w1", "w2"], ["x"], noise=0.2, seed=7).notes
    ('Asked for 5 documents, the case has 3.',)
    """
    wanted = noise_count(count, noise)
    wrong = positive_wrong[: max(count - wanted, 1)]
    noisy = negative[: min(wanted, count - len(wrong))]
    documents = _labelled(wrong, "wrong") + _labelled(noisy, "noise")
    return _shuffled(documents, seed, _shortages(count, wanted, len(wrong), len(noisy)))


def _labelled(texts: Sequence[str], kind: Kind) -> list[Document]:
    return [Document(text, kind) for text in texts]


def _reordered(texts: Sequence[str], seed: int | str) -> list[str]:
    return random.Random(f"{seed}").sample(texts, len(texts))


def _shuffled(documents: list[Document], seed: int | str, notes: tuple[str, ...]) -> Mixture:
    random.Random(f"{seed}").shuffle(documents)
    return Mixture(tuple(documents), notes)


def _shortages(count: int, wanted: int, relevant: int, noisy: int) -> tuple[str, ...]:
    notes = []
    if relevant + noisy == count and noisy != wanted:
        notes.append(f"Asked for {wanted} noise documents, mixed in {noisy}: as near as the case allows.")
    if relevant + noisy < count:
        notes.append(f"Asked for {count} documents, the case has {relevant + noisy}.")
    if relevant + noisy > count:
        notes.append(
            f"Asked for {count} documents, gave {relevant + noisy}: one for each part of the question."
        )
    return tuple(notes)
