"""Distributions: likelihoods beside torch's, shapes and ids that do not fit."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from scoring.language.distributions import TokenScoresError, chosen_logprobs, entropies, read_logits


def test_it_picks_the_log_probabilities_that_torch_finds() -> None:
    logits, ids = torch.randn(75, 11), torch.randint(0, 11, (75,))
    expected = logits.log_softmax(1)[torch.arange(75), ids]
    picked = chosen_logprobs(read_logits(logits, "logits"), ids.tolist())
    assert picked == pytest.approx(expected.numpy(), abs=1e-5)


def test_it_does_not_overflow_on_large_logits() -> None:
    assert entropies(np.array([[5000.0, 5000.0, -5000.0]])) == pytest.approx([np.log(2)])


@pytest.mark.parametrize(("ids", "why"), [([0], "token_ids has 1 tokens"), ([0, 9], "token_ids must lie")])
def test_it_names_token_ids_that_do_not_fit(ids: list[int], why: str) -> None:
    with pytest.raises(TokenScoresError, match=why):
        chosen_logprobs(np.zeros((2, 3)), ids)


def test_it_gives_nothing_for_no_positions() -> None:
    assert entropies(np.empty((0, 4))).shape == (0,)
    assert chosen_logprobs(np.empty((0, 4)), []).shape == (0,)
