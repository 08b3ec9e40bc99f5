"""One answer by all that its case takes, also where the embedding model cannot run."""

from __future__ import annotations

import logging
import sys

import pytest

from scoring import measuring, registry
from scoring.language import embeddings
from scoring.measurement import Sample

SAMPLE = Sample(
    "Patch every system. Review the rights of users each year.",
    expected_response="Review access rights every year.",
    forbidden_claims=("Rights are never reviewed.",),
    embed=embeddings.embed,
)


def _why(name: str) -> tuple[float | None, str]:
    found = measuring.by(registry.plugin(measuring.METRICS, name), SAMPLE)
    return found.value, found.why


@pytest.mark.usefixtures("no_embeddings")
def test_it_says_that_no_sentences_can_be_compared() -> None:
    assert _why("semantic_equivalence") == (None, "No sentence embeddings are at hand.")
    assert _why("coherence") == (None, "No embedding model is at hand.")


@pytest.mark.usefixtures("no_embeddings")
def test_it_measures_all_that_needs_no_sentences_compared() -> None:
    assert _why("grounding")[0] == 1.0


@pytest.mark.usefixtures("no_embeddings")
def test_it_says_once_in_the_log_what_to_install(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        _why("coherence")
        _why("coherence")
    (line,) = caplog.messages
    assert "onnxruntime" in line
    assert "requirements-models.txt" in line


@pytest.mark.parametrize("library", ["onnx", "onnxruntime", "safetensors", "tokenizers"])
def test_it_survives_the_loss_of_any_library(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setattr(embeddings, "_model", None)
    embeddings.forget()
    assert _why("semantic_equivalence")[0] is None
