"""Sentences go in; how many a second embeddings, the bare model and sentence-transformers do comes out.

All run on one thread, and what counts is the processor's time, so that other work on the machine does not.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.table import Row, print_table
from scoring.language import embeddings, minilm

SENTENCES, ROUNDS = 256, 5

_TEXT = (
    "the operator reviews access rights logs firewall rules network segments incident reports backup media "
    "at least every quarter before each change without delay and keeps evidence for the auditor"
)


def measure() -> list[Row]:
    """Take turns, so that a busy machine slows all alike, and compare medians."""
    sentences = _sentences(random.Random(6))
    first = _seconds(lambda: embeddings.embed(sentences[:1]))
    ways = {"ours": _ours(sentences), "bare": _bare(sentences), "reference": _reference(sentences)}
    rounds = [{name: _seconds(way) for name, way in ways.items()} for _ in range(ROUNDS)]
    rate = {name: SENTENCES / statistics.median(turn[name] for turn in rounds) for name in ways}
    ratio = statistics.median(turn["bare"] / turn["ours"] for turn in rounds)
    cached = SENTENCES / _seconds(lambda: embeddings.embed(sentences))
    least = _least_cosine(sentences, ways["reference"])
    return [
        Row("embeddings, first use in a process", f"{first:.2f} s", "", None),
        Row("embeddings, one thread", f"{rate['ours']:.0f} sentences/s", "", None),
        Row("the bare model on the same batches", f"{rate['bare']:.0f} sentences/s", "", None),
        Row("embeddings / bare model", f"{ratio:.3f}", "≥ 0.9", ratio >= 0.9),
        Row("sentence-transformers, one thread", f"{rate['reference']:.0f} sentences/s", "", None),
        Row("least cosine to sentence-transformers", f"{least:.6f}", "≥ 0.9999", least >= 0.9999),
        Row("embeddings, all of them cached", f"{cached:,.0f} sentences/s", "", None),
    ]


def _ours(sentences: list[str]) -> Callable[[], Any]:
    def run() -> Any:
        embeddings.forget()
        return embeddings.embed(sentences)

    return run


def _bare(sentences: list[str]) -> Callable[[], Any]:
    """Run the model alone, on batches made beforehand, the same ones as ours."""
    model = minilm.MiniLM()
    rows = [model.tokens(sentence) for sentence in sentences]
    batches = [
        model.padded([rows[index] for index in batch])
        for batch in embeddings.batches([len(row) for row in rows])
    ]
    return lambda: [model.run(batch) for batch in batches]


def _reference(sentences: list[str]) -> Callable[[], Any]:
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    model = SentenceTransformer(str(minilm.model_folder()), device="cpu", local_files_only=True)
    return lambda: model.encode(sentences, batch_size=16, normalize_embeddings=True)


def _least_cosine(sentences: list[str], reference: Callable[[], Any]) -> float:
    return float(np.min(np.sum(embeddings.embed(sentences) * reference(), axis=1)))


def _seconds(way: Callable[[], Any]) -> float:
    start = time.process_time()
    way()
    return time.process_time() - start


def _sentences(chance: random.Random) -> list[str]:
    words = _TEXT.split()
    return [" ".join(chance.choices(words, k=chance.randint(6, 30))) + "." for _ in range(SENTENCES)]


if __name__ == "__main__":
    print_table(measure())
