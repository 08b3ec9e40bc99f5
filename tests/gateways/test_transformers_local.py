"""Answers from weights on this machine: tiny models, made here, against plain forward passes."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from scoring.gateway_contract import GatewayError, Prompt, Reply, Target
from scoring.gateways import transformers_local
from scoring.weights import finding, loading

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

SENTENCE = "the code asks each owner to log keep test report patch review and restore every system by night"
WORDS = SENTENCE.split()
SPECIAL = ["<pad>", "</s>", "<unk>", "<user>", "<model>"]
TEMPLATE = "{% for m in messages %}<user> {{ m.content }} {% endfor %}<model>"
STRICT = "{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}" + TEMPLATE


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A causal model, its base, and a seq2seq model, each in a folder."""
    folder = tmp_path_factory.mktemp("models")
    for seed, name in enumerate(("tuned", "base")):
        save(folder / name, transformers.LlamaForCausalLM(llama(seed)), tokenizer(WORDS))
    torch.manual_seed(5)
    config = transformers.T5Config(
        vocab_size=23, d_model=32, d_kv=16, d_ff=64, num_layers=2, num_heads=2, decoder_start_token_id=0,
        pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    save(folder / "seq2seq", transformers.T5ForConditionalGeneration(config), tokenizer(WORDS, template=None))
    return folder


@pytest.fixture(autouse=True)
def unloaded() -> Iterator[None]:
    yield
    loading._loaded.clear()


def llama(seed: int) -> Any:
    torch.manual_seed(seed)
    return transformers.LlamaConfig(
        vocab_size=23, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        max_position_embeddings=64, pad_token_id=0, eos_token_id=1, bos_token_id=None, initializer_range=0.5,
    )  # fmt: skip


def tokenizer(words: list[str], template: str | None = TEMPLATE) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers

    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *words])}
    plain = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    plain.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    made.chat_template = template
    return made


def save(folder: Path, model: Any, words: Any) -> Path:
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def put(model: Path | str, words: str = "the code asks each owner", **settings: Any) -> Reply:
    base, seconds = settings.pop("base", None), settings.pop("timeout_seconds", 60)
    sample, system = settings.pop("sample", 1), settings.pop("system", None)
    target = Target(
        str(model),
        parameters={"max_tokens": 12, "suppress_tokens": [0, 1, 2, 3, 4], **settings},
        timeout_seconds=seconds,
        extra={"base": base and str(base)},
    )
    messages = [{"role": "system", "content": system}] if system else []
    prompt = Prompt([*messages, {"role": "user", "content": words}], sample=sample)
    return asyncio.run(transformers_local.ask(None, target, prompt))


def rows(folder: Path, said: str, words: str = "the code asks each owner") -> tuple[Any, list[int]]:
    """Compute the log-probabilities of every token at each position of an answer, in one forward pass."""
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

    made = AutoTokenizer.from_pretrained(folder)
    answer = made(said, add_special_tokens=False).input_ids
    with torch.no_grad():
        if folder.name == "seq2seq":
            model = AutoModelForSeq2SeqLM.from_pretrained(folder)
            ids = made(words, return_tensors="pt").input_ids
            logits = model(input_ids=ids, decoder_input_ids=torch.tensor([[0, *answer]])).logits[0, :-1]
        else:
            model = AutoModelForCausalLM.from_pretrained(folder)
            asked = made(f"<user> {words} <model>", add_special_tokens=False).input_ids
            logits = model(torch.tensor([[*asked, *answer]])).logits[0, len(asked) - 1 : -1]
    return torch.log_softmax(logits.double(), dim=-1), answer


@pytest.mark.parametrize("name", ["tuned", "seq2seq"])
@pytest.mark.parametrize("temperature", [0, 1.5])
def test_it_scores_each_token_as_a_plain_forward_pass_does(
    models: Path, name: str, temperature: float
) -> None:
    reply = put(models / name, temperature=temperature, seed=3)
    expected, answer = rows(models / name, reply.content)
    assert reply.tokens
    assert len(answer) >= 3
    assert reply.tokens.logprobs == pytest.approx(
        [float(row[t]) for row, t in zip(expected, answer, strict=True)], abs=1e-4
    )
    entropies = -(expected.exp() * expected).sum(dim=-1)
    assert reply.tokens.entropies == pytest.approx(entropies.tolist(), abs=1e-4)
    assert (reply.tokens.vocabulary, reply.tokens.logits, reply.tokens.divergences) == (23, None, None)


@pytest.mark.parametrize(("name", "other"), [("tuned", "base"), ("seq2seq", "seq2seq")])
def test_it_measures_the_divergence_from_a_base(models: Path, name: str, other: str) -> None:
    reply = put(models / name, temperature=1.5, seed=3, base=models / other)
    tuned, _ = rows(models / name, reply.content)
    base, _ = rows(models / other, reply.content)
    expected = (tuned.exp() * (tuned - base)).sum(dim=-1).tolist()
    assert reply.tokens
    assert reply.tokens.divergences == pytest.approx(expected, abs=1e-4)
    assert (max(expected) > 0.1) == (name != other)


def test_it_says_how_the_answer_ended_and_counts_its_tokens(models: Path) -> None:
    reply = put(models / "tuned", max_tokens=4)
    assert (reply.finish_reason, reply.prompt_tokens, reply.completion_tokens) == ("length", 7, 4)
    assert reply.latency_seconds > 0
    json.dumps(asdict(reply), allow_nan=False)


def test_it_answers_the_same_with_the_same_seed_and_otherwise_with_another(models: Path) -> None:
    first, again, second = (put(models / "tuned", temperature=3, seed=1, sample=n).content for n in (1, 1, 2))
    assert first == again != second


def test_it_stops_where_it_is_told_to(models: Path) -> None:
    whole = put(models / "tuned").content.split()
    reply = put(models / "tuned", stop=[whole[2]])
    assert reply.content.split() == whole[: whole.index(whole[2])]
    assert reply.finish_reason == "stop"
    assert reply.tokens
    assert len(reply.tokens.logprobs or ()) == len(reply.content.split())


def test_it_ends_where_the_model_ends(models: Path) -> None:
    reply = put(models / "tuned", forced_eos_token_id=1, suppress_tokens=[0, 2, 3, 4], max_tokens=4)
    assert (reply.finish_reason, reply.completion_tokens, len(reply.content.split())) == ("stop", 4, 3)
    assert reply.tokens
    assert len(reply.tokens.logprobs or ()) == 3


def test_it_refuses_a_prompt_that_does_not_fit(models: Path) -> None:
    with pytest.raises(GatewayError, match="has 82 tokens, the model takes fewer than 64") as caught:
        put(models / "tuned", "night " * 80)
    assert caught.value.kind == "too_long"


def test_it_never_writes_beyond_the_context(models: Path) -> None:
    reply = put(models / "tuned", "night " * 58, max_tokens=500)
    assert reply.prompt_tokens == 60
    assert (reply.completion_tokens or 0) <= 4


def test_it_gives_up_when_its_time_is_over(models: Path) -> None:
    with pytest.raises(GatewayError, match="in time") as caught:
        put(models / "tuned", timeout_seconds=0)
    assert (caught.value.kind, caught.value.permanent) == ("timeout", False)


def test_it_counts_neither_loading_nor_the_line_as_time_of_a_question(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = loading._read

    def slowly(*arguments: Any) -> loading.Loaded:
        time.sleep(2)
        return read(*arguments)

    monkeypatch.setattr(loading, "_read", slowly)
    target = Target(str(models / "tuned"), parameters={"max_tokens": 2}, timeout_seconds=1.5)

    async def both() -> list[Reply]:
        prompt = Prompt([{"role": "user", "content": "the code asks"}])
        return await asyncio.gather(*(transformers_local.ask(None, target, prompt) for _ in range(2)))

    assert [reply.completion_tokens for reply in asyncio.run(both())] == [2, 2]
    assert (transformers_local.MOST_IN_FLIGHT, transformers_local.KEEPS_TIME) == (1, True)


def test_it_stops_writing_when_nobody_waits(models: Path) -> None:
    put(models / "tuned")
    target = Target(str(models / "tuned"), parameters={"max_tokens": 40, "suppress_tokens": [1]})

    async def cancelled() -> None:
        task = asyncio.create_task(
            transformers_local.ask(None, target, Prompt([{"role": "user", "content": "log"}]))
        )
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    free = threading.Event()
    transformers_local._worker.submit(free.set)
    assert free.wait(30)


def test_it_opens_the_user_s_message_with_a_system_s_that_the_model_does_not_know(
    models: Path, tmp_path: Path
) -> None:
    model = transformers.LlamaForCausalLM(llama(0))
    strict = save(tmp_path / "strict", model, tokenizer(WORDS, STRICT))
    merged, plain = put(strict, "log", system="keep"), put(strict, "keep log")
    assert (merged.content, merged.prompt_tokens) == (plain.content, 4)


def test_it_continues_a_text_without_a_template(models: Path) -> None:
    assert put(models / "tuned", completion=True).prompt_tokens == 5


def test_it_leaves_out_scores_of_a_broken_model(models: Path, tmp_path: Path) -> None:
    model = transformers.LlamaForCausalLM(llama(0))
    torch.nn.init.constant_(model.lm_head.weight, float("nan"))
    reply = put(save(tmp_path / "broken", model, tokenizer(WORDS)))
    assert reply.tokens is None
    assert "left out: logits[0][0] is nan" in reply.notes[0]


def test_it_refuses_a_base_with_another_vocabulary(models: Path, tmp_path: Path) -> None:
    other = save(tmp_path / "other", transformers.LlamaForCausalLM(llama(0)), tokenizer(sorted(WORDS)))
    with pytest.raises(GatewayError, match="another vocabulary") as caught:
        put(models / "tuned", base=other)
    assert caught.value.kind == "bad_parameters"


@pytest.mark.parametrize(
    "parameters", [{"mirostat": 2}, {"threads": 0}, {"threads": "all"}, {"forced_eos_token_id": 1}]
)
def test_it_refuses_parameters_that_mean_nothing_to_it(models: Path, parameters: dict[str, Any]) -> None:
    with pytest.raises(GatewayError, match="parameter") as caught:
        put(models / "tuned", **parameters)
    assert caught.value.kind == "bad_parameters"


def test_it_keeps_one_model_and_its_base_in_memory(models: Path) -> None:
    for name in ("tuned", "base", "seq2seq"):
        put(models / name)
    assert [weights.folder.name for weights in loading._loaded] == ["base", "seq2seq"]


def test_it_tests_without_loading(models: Path, tmp_path: Path) -> None:
    found = asyncio.run(transformers_local.probe(None, Target(str(models / "tuned"))))
    missing = asyncio.run(transformers_local.probe(None, Target(str(tmp_path))))
    assert (found.answers, found.logprobs, found.models) == (True, True, (str(models / "tuned"),))
    assert (missing.reachable, "There are no weights" in missing.message) == (False, True)
    assert not loading._loaded


def test_it_names_the_package_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.gguf").touch()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(GatewayError, match="need the package torch") as caught:
        put(tmp_path)
    assert caught.value.kind == "not_installed"


def test_it_finds_weights_in_a_package_that_it_does_not_run(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "tiny_weights"
    shutil.copytree(models / "tuned", package / "model")
    (package / "__init__.py").write_text("raise RuntimeError")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert put("tiny_weights").content == put(models / "tuned").content
    assert "tiny_weights" not in sys.modules


def test_it_finds_a_gguf_file_by_itself_and_in_its_package(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.touch()
    assert finding.find(str(file)) == finding.find(str(tmp_path)) == finding.Weights(tmp_path, "model.gguf")


@pytest.mark.parametrize("name", ["", "no_such_package", "no/such/folder", "json", "../..", "os.path"])
def test_it_says_where_there_are_no_weights(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GatewayError, match="There are no weights") as caught:
        put(name)
    assert (caught.value.kind, caught.value.permanent) == ("not_installed", True)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("config.json", b"{"),
        ("config.json", b'{"model_type": "unheard_of"}'),
        ("model.safetensors", b"not weights"),
        ("model.safetensors", None),
        ("tokenizer.json", b"{}"),
    ],
)
def test_it_says_when_weights_cannot_be_loaded(
    models: Path, tmp_path: Path, file: str, content: bytes | None
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(models / "tuned", broken)
    (broken / file).unlink()
    if content is not None:
        (broken / file).write_bytes(content)
    with pytest.raises(GatewayError, match="cannot be loaded") as caught:
        put(broken)
    assert caught.value.kind == "not_installed"
