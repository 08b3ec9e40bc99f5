"""Coherence: formula, published example, evidence, bad input."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scoring.language.embeddings import embed
from scoring.measurement import Sample
from scoring.metrics.coherence import EXAMPLE, measure, texts


def by_first_letter(sentences: Sequence[str]) -> NDArray[Any]:
    """Turn each sentence by as many right angles as its first letter says."""
    angles = [math.pi / 2 * "ABCD".find(sentence[0]) for sentence in sentences]
    return np.array([[3 * math.cos(angle), 3 * math.sin(angle)] for angle in angles])


def test_it_averages_the_cosines_of_neighbours_and_keeps_the_sign() -> None:
    found = measure(Sample("A one. A two. B three. D four.", embed=by_first_letter))
    assert found.value == pytest.approx((1 + 0 - 1) / 3)
    assert [round(pair["cosine"], 6) for pair in found.evidence["pairs"]] == [1.0, 0.0, -1.0]


def test_it_can_be_recomputed_from_its_evidence() -> None:
    found = measure(EXAMPLE)
    pairs = found.evidence["pairs"]
    by_hand = [float(np.dot(*embed([pair["first"], pair["second"]]))) for pair in pairs]
    assert found.value == pytest.approx(sum(by_hand) / 2, abs=1e-6)


def test_it_tells_sentences_on_one_topic_from_sentences_on_many() -> None:
    joined = measure(Sample("Firewalls block traffic. Firewall rules block packets.", embed=embed)).value
    strewn = measure(Sample("Firewalls block traffic. My cat likes fish.", embed=embed)).value
    assert joined is not None
    assert strewn is not None
    assert joined > 0.6 > 0.2 > strewn


def test_it_marks_the_sentences_that_do_not_follow() -> None:
    response = "A one.  B two. B three."
    found = measure(Sample(response, embed=by_first_letter))
    assert [response[span.start : span.end] for span in found.spans] == ["B two."]


@pytest.mark.parametrize("short", ["", "   ", "One sentence about TLS 1.2 and 10.0.0.1"])
def test_it_is_zero_and_flagged_below_two_sentences(short: str) -> None:
    found = measure(Sample(short, embed=embed))
    assert found.value == 0.0
    assert found.flags == ("Fewer than two sentences: 0 by definition.",)


def test_it_is_none_without_a_model_or_a_direction() -> None:
    without = measure(Sample("A one. B two."))
    nowhere = measure(Sample("A one. B two.", embed=lambda some: np.zeros((len(some), 3))))
    assert (without.value, nowhere.value) == (None, None)
    assert "embedding model" in without.why


def test_it_lists_what_it_will_embed() -> None:
    asked: list[str] = []

    def listen(sentences: Sequence[str]) -> NDArray[Any]:
        asked.extend(sentences)
        return by_first_letter(sentences)

    sample = Sample("A one! B two?\nC three", embed=listen)
    measure(sample)
    assert asked == texts(sample) == ["A one!", "B two?", "C three"]


@given(st.text(alphabet="ABCD .\n", max_size=60))
def test_it_stays_between_minus_one_and_one(text: str) -> None:
    found = measure(Sample(text, embed=by_first_letter))
    assert found.value is not None
    assert -1.0 <= found.value <= 1.0
