"""Weights in a GGUF file: read, converted once, and the same afterwards."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from scoring.gateway_contract import GatewayError, Prompt, Reply, Target
from scoring.gateways import transformers_local
from scoring.weights import loading

pytest.importorskip("accelerate", reason="transformers reads GGUF files with the help of accelerate")
gguf = pytest.importorskip("gguf")
np = pytest.importorskip("numpy")

WIDTH, LAYERS, HIDDEN = 32, 2, 64
TOKENS = ["<s>", "</s>", *"abcdefghijklmnopqrstuvwxyz", "Ġ", "th"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A small Llama with hardly more tokens than letters, as llama.cpp would write it."""
    path = tmp_path / "tiny.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(64)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(TOKENS))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(TOKENS)
    writer.add_token_types([3, 3, *[1] * (len(TOKENS) - 2)])
    writer.add_token_merges(["t h"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    for name, shape in tensors().items():
        writer.add_tensor(name, random(name, shape))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def tensors() -> dict[str, tuple[int, ...]]:
    layer = {
        **{f"attn_{part}.weight": (WIDTH, WIDTH) for part in ("q", "k", "v", "output")},
        **{f"ffn_{part}.weight": (HIDDEN, WIDTH) for part in ("gate", "up")},
        "ffn_down.weight": (WIDTH, HIDDEN),
        "attn_norm.weight": (WIDTH,),
        "ffn_norm.weight": (WIDTH,),
    }
    layers = {f"blk.{number}.{name}": shape for number in range(LAYERS) for name, shape in layer.items()}
    ends = {"token_embd.weight": (len(TOKENS), WIDTH), "output.weight": (len(TOKENS), WIDTH)}
    return {**ends, "output_norm.weight": (WIDTH,), **layers}


def random(name: str, shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(len(name)).normal(0, 0.5, shape).astype(np.float32)


def put(file: Path, cache: Path | None) -> Reply:
    extra = {"cache": str(cache)} if cache else {}
    target = Target(str(file), parameters={"max_tokens": 8, "completion": True}, extra=extra)
    loading._loaded.clear()
    return asyncio.run(transformers_local.ask(None, target, Prompt([{"role": "user", "content": "abc"}])))


def test_it_answers_from_a_gguf_file_and_from_its_conversion_alike(file: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    direct, converting, converted = put(file, None), put(file, cache), put(file, cache)
    assert direct.content
    assert direct.tokens == converting.tokens == converted.tokens
    assert [path.name.startswith("tiny-") for path in cache.iterdir()] == [True]


def test_it_converts_another_file_of_the_same_name_anew(file: Path, tmp_path: Path) -> None:
    put(file, tmp_path / "cache")
    with file.open("ab") as end:
        end.write(b"\0" * 32)
    put(file, tmp_path / "cache")
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_it_says_when_the_file_is_broken(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF and nothing else")
    with pytest.raises(GatewayError, match="cannot be loaded") as caught:
        put(broken, tmp_path / "cache")
    assert caught.value.kind == "not_installed"
    assert not (tmp_path / "cache").exists()
