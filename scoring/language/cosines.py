"""Two lists of texts and an embedder go in; the cosine of every pair comes out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scoring.language.text import fold
from scoring.measurement import Embed


def cosines(embed: Embed, rows: Sequence[str], columns: Sequence[str]) -> NDArray[np.float64]:
    """Embed each distinct text once, and compare every row with every column.

    A text whose vector has no length or is not finite has the cosine 0 with all others.
    """
    texts = list(dict.fromkeys(map(_clean, [*rows, *columns])))
    place = {text: index for index, text in enumerate(texts)}
    vectors = _unit(np.asarray(embed(texts), dtype=np.float64))
    left = vectors[[place[_clean(text)] for text in rows]]
    right = vectors[[place[_clean(text)] for text in columns]]
    return np.clip(left @ right.T, -1.0, 1.0)


def _clean(text: str) -> str:
    # Tokenisers take no lone surrogates.
    return fold(text.encode("utf-8", "replace").decode("utf-8"))


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    vectors = np.nan_to_num(vectors, nan=0.0, posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)
