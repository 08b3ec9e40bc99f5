"""Embeddings: the same as sentence-transformers', each text once, cached, safe among threads."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from scoring.language import embeddings, minilm
from scoring.language.embeddings import embed

TEXTS = [
    "Firewalls filter network traffic.",
    "firewalls  filter\tnetwork traffic",
    "The CII owner shall review access rights at least once every 12 months.",
    "It is not compliant. " * 40,
    "one two three " * 2000,
    "a" * 5000,
    "supercalifragilisticexpialidocious-" * 30,
    "",
    "   \n ",
    ".",
    "🔥🙂👩‍💻 emoji only",
    "防火墙过滤网络流量。关键信息基础设施",
    "ファイアウォールはトラフィックを検査します。",
    "جدار الحماية يفحص حركة المرور",
    "naïve café, e\u0301 combining",
    "NUL \x00 and control \x07 characters",
    "SELECT * FROM users WHERE name = '' OR 1=1; --",
]


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    embeddings.forget()


@pytest.fixture(scope="module")
def reference() -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(minilm.model_folder()), device="cpu", local_files_only=True)


def test_it_equals_sentence_transformers(reference: Any) -> None:
    expected = reference.encode(TEXTS, normalize_embeddings=True)
    cosines = (embed(TEXTS) * expected).sum(axis=1)
    assert cosines.min() >= 0.9999
    assert np.abs(embed(TEXTS) - expected).max() < 1e-5


def test_it_gives_unit_vectors_in_the_order_asked() -> None:
    together = embed(TEXTS)
    assert together.shape == (len(TEXTS), 384)
    assert together.dtype == np.float32
    assert np.linalg.norm(together, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)
    embeddings.forget()
    alone = np.stack([embed([text])[0] for text in reversed(TEXTS)])[::-1]
    assert together == pytest.approx(alone, abs=1e-5)


def test_it_embeds_a_text_once_however_often_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[str] = []
    real = embeddings._encode

    def listen(texts: Sequence[str]) -> NDArray[np.float32]:
        encoded.extend(texts)
        return real(texts)

    monkeypatch.setattr(embeddings, "_encode", listen)
    vectors = embed(["alpha", "beta", "alpha"])
    embed(["beta", "alpha"])
    assert encoded == ["alpha", "beta"]
    assert (vectors[0] == vectors[2]).all()


def test_it_forgets_the_text_used_longest_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "_CACHE_TEXTS", 2)
    embed(["alpha", "beta"])
    embed(["alpha"])
    embed(["gamma"])
    assert set(embeddings._cache) == {embeddings._key(text, 0) for text in ("alpha", "gamma")}
    assert embed(["one", "two", "three", "four"]).shape == (4, 384)
    assert len(embeddings._cache) == 2


def test_it_does_not_hand_out_the_cache_itself() -> None:
    embed(["alpha"])[0] = 0
    assert np.linalg.norm(embed(["alpha"])) == pytest.approx(1.0, abs=1e-5)


def test_it_may_be_called_from_many_threads() -> None:
    texts = [f"text {number % 7}" for number in range(40)]
    expected = embed(texts)
    embeddings.forget()
    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(lambda text: embed([text])[0], texts))
    assert np.stack(rows) == pytest.approx(expected, abs=1e-5)


def test_it_gives_no_rows_for_no_texts() -> None:
    assert embed([]).shape == (0, 384)


def test_it_replaces_half_of_a_surrogate_pair() -> None:
    assert embed(["half \ud800 pair"]) == pytest.approx(embed(["half \ufffd pair"]), abs=1e-6)


def test_it_reads_the_same_tokens_of_a_long_text_by_its_head() -> None:
    model = embeddings._loaded()
    ordinary, stretched = "patch the server, " * 5000, "x" * 30_000 + " then words follow " * 300
    assert model.tokens(ordinary) == model._ids(ordinary)
    assert model.tokens(stretched) == model._ids(stretched)


@pytest.mark.parametrize(
    ("texts", "named"), [(["a", None], r"texts\[1\]"), ("a string", "texts must be a list")]
)
def test_it_names_what_is_not_text(texts: Any, named: str) -> None:
    with pytest.raises(TypeError, match=named):
        embed(texts)


def test_it_says_what_to_install_without_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package")
    with pytest.raises(minilm.EmbeddingModelError, match=r"requirements-weights\.txt"):
        minilm.MiniLM()


def test_it_refuses_other_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "SHA256", "0" * 64)
    with pytest.raises(minilm.EmbeddingModelError, match="its SHA-256 begins 53aa5117, not 00000000"):
        minilm.MiniLM()


@pytest.mark.parametrize("threads", ["0", "-1", "two", ""])
def test_it_refuses_a_number_of_threads_that_is_none(monkeypatch: pytest.MonkeyPatch, threads: str) -> None:
    monkeypatch.setenv("EVALPORTAL_EMBED_THREADS", threads)
    with pytest.raises(minilm.EmbeddingModelError, match="EVALPORTAL_EMBED_THREADS must be"):
        embeddings._threads()


def test_it_keeps_batches_small_and_of_like_lengths() -> None:
    lengths = [3, 250, 4, 256, 5] + [20] * 40
    batches = list(embeddings.batches(lengths))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    assert all(len(batch) * max(lengths[index] for index in batch) <= 384 for batch in batches)
