"""Semantic equivalence: the formula by hand, the real model, bad vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scoring.measurement import Measurement, Sample
from scoring.metrics.semantic_equivalence import measure

VECTORS = {"East.": (1.0, 0.0), "North.": (0.0, 1.0), "West.": (-1.0, 0.0), "North-east.": (1.0, 1.0)}


def compared(response: str, expected: str, embed: object = None) -> Measurement:
    return measure(Sample(response, expected_response=expected, embed=embed or _by_table))  # type: ignore[arg-type]


def test_it_takes_the_mean_of_the_best_cosines() -> None:
    found = compared("North-east. West.", "East. North. West.")
    assert found.value == pytest.approx((2**-0.5 + 2**-0.5 + 1) / 3)
    assert [pair["said"] for pair in found.evidence["pairs"]] == ["North-east.", "North-east.", "West."]


def test_it_clips_what_is_below_zero() -> None:
    found = compared("West.", "East.")
    assert found.value == 0.0
    assert found.evidence["mean"] == -1.0


def test_it_marks_the_sentence_that_came_nearest() -> None:
    response = "West.  East."
    found = compared(response, "East.")
    assert [response[span.start : span.end] for span in found.spans] == ["East."]
    assert found.spans[0].kind == "good"


def test_it_is_undefined_without_an_expected_response_or_without_embeddings() -> None:
    assert compared("East.", "").why == "The case has no expected response."
    assert measure(Sample("East.", expected_response="East.")).why == "No sentence embeddings are at hand."


@pytest.mark.parametrize("bad", [0.0, float("nan"), float("inf")])
def test_it_survives_vectors_without_a_direction(bad: float) -> None:
    found = compared("East.", "East.", lambda texts: np.full((len(texts), 4), bad))
    assert found.value == 0.0


def test_it_embeds_each_sentence_once_and_without_lone_surrogates() -> None:
    asked: list[str] = []

    def embed(texts: Sequence[str]) -> NDArray[np.float64]:
        asked.extend(texts)
        return np.ones((len(texts), 2))

    assert compared("Yes \ud800. Yes \ud800.\nNo.", "No. No.", embed).value == pytest.approx(1.0)
    assert asked == ["No.", "Yes ?."]


def test_it_tells_a_paraphrase_from_another_subject_with_the_real_model() -> None:
    from scoring.language.embeddings import embed

    expected = "Multi-factor authentication is required for remote access."
    near = compared("Remote connections must use multi-factor authentication.", expected, embed).value
    far = compared("The canteen opens at noon.", expected, embed).value
    assert near is not None
    assert far is not None
    assert near > 0.75 > 0.3 > far


SENTENCES = st.lists(st.sampled_from(list(VECTORS)), min_size=1, max_size=6).map(" ".join)


@given(SENTENCES, SENTENCES)
def test_it_stays_between_zero_and_one(response: str, expected: str) -> None:
    found = compared(response, expected).value
    assert found is not None
    assert 0.0 <= found <= 1.0


@given(SENTENCES, SENTENCES)
def test_it_gives_all_to_a_response_that_holds_every_expected_sentence(more: str, expected: str) -> None:
    assert compared(f"{more} {expected}", expected).value == pytest.approx(1.0)


def _by_table(texts: Sequence[str]) -> NDArray[np.float64]:
    return np.array([VECTORS[text] for text in texts])
