"""Weights go in; a model that is ready to answer, and its tokenizer, come out."""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoring.gateway_contract import GatewayError
from scoring.weights.finding import Weights

# One model, and perhaps the base that it was tuned from: there is no memory for more.
_MOST_LOADED = 2
_loaded: dict[Weights, Loaded] = {}


@dataclass(frozen=True)
class Loaded:
    """A model in memory."""

    model: Any
    tokenizer: Any

    @property
    def seq2seq(self) -> bool:
        return bool(self.model.config.is_encoder_decoder)

    @property
    def context(self) -> int | None:
        """The most tokens that prompt and answer may have together, where the model has a limit."""
        return getattr(self.model.config, "max_position_embeddings", None)


def check(weights: Weights) -> None:
    """Say which package is missing for these weights, before anything is loaded."""
    wanted = ("torch", "transformers", *(("gguf", "accelerate") if weights.gguf else ()))
    if missing := [name for name in wanted if importlib.util.find_spec(name) is None]:
        raise GatewayError("not_installed", f"These weights need the package {missing[0]}: install it.")


def load(weights: Weights, *, threads: int, cache: Path | None = None) -> Loaded:
    """Load a model once; with a cache, a GGUF file, which takes a minute to read, is converted once, too."""
    if weights not in _loaded:
        check(weights)
        while len(_loaded) >= _MOST_LOADED:
            del _loaded[next(iter(_loaded))]
        try:
            _loaded[weights] = _read(weights, threads, cache)
        except Exception as error:  # a broken file makes its reader raise anything
            reason = " ".join(str(error).split())[:300]
            raise GatewayError("not_installed", f"The weights cannot be loaded: {reason}") from error
    return _loaded[weights]


def _read(weights: Weights, threads: int, cache: Path | None) -> Loaded:
    import torch  # noqa: PLC0415 (it takes seconds)
    from transformers.utils import logging  # noqa: PLC0415

    torch.set_num_threads(threads)
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    if weights.gguf is None or cache is None:
        return _from_folder(weights)
    file = weights.folder / weights.gguf
    converted = cache / f"{file.stem}-{file.stat().st_size}-{file.stat().st_mtime_ns}"
    if not converted.is_dir():
        _convert(weights, converted)
    return _from_folder(Weights(converted))


def _from_folder(weights: Weights) -> Loaded:
    import torch  # noqa: PLC0415
    import transformers  # noqa: PLC0415

    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    if weights.gguf:
        options["gguf_file"] = weights.gguf
    graphics = torch.cuda.is_available()
    config = transformers.AutoConfig.from_pretrained(weights.folder, **options)
    kind: Any = transformers.AutoModelForCausalLM
    if config.is_encoder_decoder:
        kind = transformers.AutoModelForSeq2SeqLM
    model = kind.from_pretrained(weights.folder, dtype="auto" if graphics else torch.float32, **options)
    tokenizer = transformers.AutoTokenizer.from_pretrained(weights.folder, **options)
    return Loaded(model.eval().to("cuda" if graphics else "cpu"), tokenizer)


def _convert(weights: Weights, converted: Path) -> None:
    """Write the model anew in a format that loads in a second; all of it or nothing."""
    loaded = _from_folder(weights)
    # They say that the weights are quantised, which they no longer are.
    for holder, name in ((loaded.model, "hf_quantizer"), (loaded.model.config, "quantization_config")):
        if hasattr(holder, name):
            delattr(holder, name)
    converted.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=converted.parent))
    try:
        loaded.model.save_pretrained(draft)
        loaded.tokenizer.save_pretrained(draft)
        draft.rename(converted)
    except OSError:
        shutil.rmtree(draft, ignore_errors=True)
        if not converted.is_dir():  # another process may have been faster
            raise
