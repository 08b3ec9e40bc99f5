"""What the authors of RGB measured, as data with its source: context for a run, not a yardstick.

The models are those of 2023, the questions RGB's own, answers were matched by containment.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

SOURCE = (
    "Chen, Lin, Han and Sun (2024), “Benchmarking Large Language Models in Retrieval-Augmented Generation”, "
    "AAAI-24"
)
CONDITIONS = (
    "Their questions were RGB's own, five documents each; answers counted as right if they contained the "
    "expected one, as declined or as doubting the documents if they said so in the words asked for."
)

MODELS = ("ChatGPT", "ChatGLM-6B", "ChatGLM2-6B", "Vicuna-7B-v1.3", "Qwen-7B-Chat", "BELLE-7B-2M")


class Curve(NamedTuple):
    """Accuracy in per cent by model, at each share of noise, in per cent too."""

    table: str
    noise: tuple[int, ...]
    accuracy: Mapping[str, tuple[float, ...]]


class Rate(NamedTuple):
    """A rate in per cent by model; models that were not measured are not there."""

    table: str
    rates: Mapping[str, float]


def _of_models(*rows: tuple[float, ...]) -> dict[str, tuple[float, ...]]:
    return dict(zip(MODELS, rows, strict=True))


_NOISE, _LESS_NOISE = (0, 20, 40, 60, 80), (0, 20, 40)

# Language → accuracy under noise.
NOISE_ROBUSTNESS: Mapping[str, Curve] = {
    "en": Curve(
        "Table 1",
        _NOISE,
        _of_models(
            (96.33, 94.67, 94.00, 90.00, 76.00),
            (93.67, 90.67, 89.33, 84.67, 70.67),
            (91.33, 89.67, 83.00, 77.33, 57.33),
            (87.67, 83.33, 86.00, 82.33, 60.33),
            (94.33, 91.67, 91.00, 87.67, 73.67),
            (83.33, 81.00, 79.00, 71.33, 64.67),
        ),
    ),
    "zh": Curve(
        "Table 1",
        _NOISE,
        _of_models(
            (95.67, 94.67, 91.00, 87.67, 70.67),
            (94.33, 90.67, 89.00, 82.33, 69.00),
            (86.67, 82.33, 76.67, 72.33, 54.00),
            (85.67, 82.67, 77.00, 69.33, 49.67),
            (94.00, 92.33, 88.00, 84.33, 68.67),
            (92.00, 88.67, 85.33, 78.33, 67.68),
        ),
    ),
}

# Language → accuracy where several documents are needed, under noise.
INFORMATION_INTEGRATION: Mapping[str, Curve] = {
    "en": Curve(
        "Table 5",
        _LESS_NOISE,
        _of_models((55, 51, 34), (45, 36, 35), (34, 32, 21), (60, 53, 43), (55, 50, 37), (40, 34, 24)),
    ),
    "zh": Curve(
        "Table 5",
        _LESS_NOISE,
        _of_models((63, 58, 47), (60, 53, 52), (44, 43, 32), (43, 36, 25), (67, 56, 55), (49, 41, 38)),
    ),
}

# Language → share of questions declined where no document holds the answer, by exact matching.
NEGATIVE_REJECTION: Mapping[str, Rate] = {
    "en": Rate("Table 3", dict(zip(MODELS, (24.67, 9.00, 10.33, 17.00, 31.00, 5.67), strict=True))),
    "zh": Rate("Table 3", dict(zip(MODELS, (5.33, 6.33, 6.33, 3.37, 8.67, 5.33), strict=True))),
}

# Language → share of planted errors that were noticed, by exact matching, and corrected among those.
ERROR_DETECTION: Mapping[str, Rate] = {
    "en": Rate("Table 7", {"ChatGPT": 8}),
    "zh": Rate("Table 7", {"ChatGPT": 1, "Qwen-7B-Chat": 5}),
}
ERROR_CORRECTION: Mapping[str, Rate] = {
    "en": Rate("Table 7", {"ChatGPT": 57.14}),
    "zh": Rate("Table 7", {"ChatGPT": 33.33, "Qwen-7B-Chat": 25.00}),
}
