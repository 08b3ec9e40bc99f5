"""Texts go in, unit vectors of all-MiniLM-L6-v2 come out: batched, cached, each text once.

The model is loaded on first use, once per process, from the installed package alone; it never asks
a hub. `EVALPORTAL_EMBED_THREADS` sets its threads, one by default: several workers share a machine
better than several threads share a worker.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from scoring.language.minilm import EmbeddingModelError, MiniLM
from scoring.language.minilm_graph import WIDTH

__all__ = ["WIDTH", "EmbeddingModelError", "batches", "embed", "forget"]

Vector = NDArray[np.float32]

# Few enough tokens that a layer's work stays in the processor's cache: larger batches are slower.
_BATCH_TOKENS = 384
# A vector and its key take some 1.7 kB: the cache holds 35 MB at most.
_CACHE_TEXTS = 20_000

_model: MiniLM | None = None
_loading = Lock()
_cache: OrderedDict[bytes, Vector] = OrderedDict()
_caching = Lock()


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """Turn each text into a vector of 384 numbers and length one; the model reads 256 tokens of it.

    The dot product of two vectors is the cosine of the texts.
    """
    keys = [_key(text, index) for index, text in enumerate(_listed(texts))]
    vectors = _recall(keys)
    fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
    if fresh:
        made = dict(zip(fresh, _encode(list(fresh.values())), strict=True))
        _remember(made)
        vectors |= made
    return np.stack([vectors[key] for key in keys]) if keys else np.empty((0, WIDTH), np.float32)


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Group texts of like length, so that little of a batch is padding."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[index] > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def forget() -> None:
    """Empty the cache, as a benchmark wants."""
    with _caching:
        _cache.clear()


def _listed(texts: Sequence[str]) -> Sequence[str]:
    if isinstance(texts, str):
        raise TypeError("texts must be a list of strings, not one string.")
    return texts


def _key(text: str, index: int) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"texts[{index}] must be a string, not {type(text).__name__}.")
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _recall(keys: Sequence[bytes]) -> dict[bytes, Vector]:
    with _caching:
        found = {key: _cache[key] for key in keys if key in _cache}
        for key in found:
            _cache.move_to_end(key)
    return found


def _remember(vectors: Mapping[bytes, Vector]) -> None:
    with _caching:
        _cache.update(vectors)
        while len(_cache) > _CACHE_TEXTS:
            _cache.popitem(last=False)


def _encode(texts: Sequence[str]) -> Vector:
    model = _loaded()
    rows = [model.tokens(text) for text in texts]
    vectors = np.empty((len(rows), WIDTH), np.float32)
    for batch in batches([len(row) for row in rows]):
        vectors[batch] = model.vectors([rows[index] for index in batch])
    return vectors


def _loaded() -> MiniLM:
    global _model  # noqa: PLW0603 - one model per process
    with _loading:
        if _model is None:
            _model = MiniLM(threads=_threads())
        return _model


def _threads() -> int:
    given = os.environ.get("EVALPORTAL_EMBED_THREADS", "1")
    if not given.isdecimal() or int(given) < 1:
        raise EmbeddingModelError(f"EVALPORTAL_EMBED_THREADS must be a whole number from 1, not {given!r}.")
    return int(given)
