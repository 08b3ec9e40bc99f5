"""Random panels of marks, alike enough to be worth comparing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

Draw = Callable[..., NDArray[np.float64]]


@pytest.fixture
def draw_marks() -> Draw:
    """Draw marks of 1 to 5, answers x criteria x reviewers: a quality, and each reviewer's noise."""

    def draw(
        seed: int,
        answers: int,
        criteria: int = 1,
        reviewers: int = 3,
        noise: float = 0.7,
        missing: float = 0.0,
    ) -> NDArray[np.float64]:
        rng = np.random.default_rng(seed)
        quality = 3.4 + rng.normal(size=(answers, 1, 1)) + 0.5 * rng.normal(size=(answers, criteria, 1))
        marks = np.clip(np.round(quality + noise * rng.normal(size=(answers, criteria, reviewers))), 1, 5)
        lost = rng.random(marks.shape) < missing
        lost[:, :, 0] &= ~lost.all(axis=2)
        return np.where(lost, np.nan, marks)

    return draw
