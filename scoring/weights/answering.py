"""A loaded model and a prompt go in; its answer, with the exact scores of every token, comes out."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoring import parameters
from scoring.gateway_contract import GatewayError, Prompt, Reply
from scoring.parameters import Settings
from scoring.weights.loading import Loaded
from scoring.weights.watching import Shadow, Watcher
from scoring.wire.cleaning import clean

_MOST_TOKENS = 512


def answer(
    loaded: Loaded,
    base: Loaded | None,
    settings: Settings,
    prompt: Prompt,
    *,
    seconds: float,
    unwanted: threading.Event,
) -> Reply:
    """Let the model write until it ends, or has used up its tokens or its time."""
    import torch  # noqa: PLC0415 (it takes seconds)

    inputs = _inputs(loaded, settings, prompt)
    if (seed := parameters.sampled(settings, prompt.sample)) is not None:
        torch.manual_seed(seed)
    started = time.perf_counter()
    try:
        with torch.inference_mode():
            shadow = Shadow(base, inputs) if base else None
            deadline = time.monotonic() + seconds
            watcher = Watcher(loaded, shadow, settings.stop, deadline=deadline, unwanted=unwanted)
            with watcher.attached():
                sequence = loaded.model.generate(
                    **inputs,
                    generation_config=_configuration(loaded, settings, inputs),
                    stopping_criteria=[watcher],
                )[0]
    except (TypeError, ValueError) as error:
        reason = " ".join(str(error).split())[:300]
        raise GatewayError("bad_parameters", f"The model does not take these parameters: {reason}") from error
    except (RuntimeError, MemoryError) as error:
        raise GatewayError("server_error", f"The model failed: {str(error)[:300]}") from error
    watcher.check()
    begin = 1 if loaded.seq2seq else inputs["input_ids"].shape[1]
    taken = time.perf_counter() - started
    written = _reply(loaded, settings, sequence[begin:].tolist(), watcher)
    return replace(written, latency_seconds=taken, prompt_tokens=int(inputs["input_ids"].shape[1]))


def _inputs(loaded: Loaded, settings: Settings, prompt: Prompt) -> dict[str, Any]:
    """Put the prompt into tokens: by the chat template where the model has one."""
    tokenizer = loaded.tokenizer
    if settings.completion or loaded.seq2seq or not getattr(tokenizer, "chat_template", None):
        text = "\n\n".join(message["content"] for message in prompt.messages)
        tokens = tokenizer(text, return_tensors="pt")
    else:
        tokens = tokenizer(
            _templated(tokenizer, prompt.messages), return_tensors="pt", add_special_tokens=False
        )
    kept = {name: tokens[name].to(loaded.model.device) for name in ("input_ids", "attention_mask")}
    room = _room(loaded, settings)
    if room is not None and not loaded.seq2seq and kept["input_ids"].shape[1] >= room:
        size = kept["input_ids"].shape[1]
        raise GatewayError("too_long", f"The prompt has {size} tokens, the model takes fewer than {room}.")
    return kept


def _templated(tokenizer: Any, messages: Sequence[Mapping[str, str]]) -> Any:
    import jinja2  # noqa: PLC0415

    try:
        return tokenizer.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True)
    except jinja2.TemplateError:
        # Some models know no system message: then it opens the user's.
        joined = "\n\n".join(message["content"] for message in messages)
        merged = [{"role": "user", "content": joined}]
        return tokenizer.apply_chat_template(merged, tokenize=False, add_generation_prompt=True)


def _room(loaded: Loaded, settings: Settings) -> int | None:
    limits = [limit for limit in (loaded.context, settings.context_tokens) if limit]
    return min(limits, default=None)


def _configuration(loaded: Loaded, settings: Settings, inputs: Mapping[str, Any]) -> Any:
    """Start from what the model's makers advise, and set what was asked for."""
    chosen = copy.deepcopy(loaded.model.generation_config)
    hot = bool(settings.temperature)
    room = _room(loaded, settings)
    most = settings.max_tokens or _MOST_TOKENS
    if room is not None and not loaded.seq2seq:
        most = min(most, room - inputs["input_ids"].shape[1])
    wanted: dict[str, Any] = {
        "max_length": None,
        "max_new_tokens": most,
        "num_beams": 1,
        "num_return_sequences": 1,
        "do_sample": hot,
        "temperature": settings.temperature if hot else None,
        "top_p": settings.top_p if hot else None,
        "top_k": settings.rest.get("top_k", 0) if hot else None,
        "pad_token_id": chosen.pad_token_id if chosen.pad_token_id is not None else _ends(loaded)[0],
        "return_dict_in_generate": False,
    }
    if unknown := chosen.update(**dict(settings.rest) | wanted):
        raise GatewayError(
            "bad_parameters", f"The parameter {sorted(unknown)[0]} means nothing to this model."
        )
    return chosen


def _ends(loaded: Loaded) -> list[int]:
    ends = loaded.model.generation_config.eos_token_id
    if ends is None:
        ends = loaded.tokenizer.eos_token_id
    return [0] if ends is None else [ends] if isinstance(ends, int) else list(ends)


def _reply(loaded: Loaded, settings: Settings, tokens: list[int], watcher: Watcher) -> Reply:
    ended = bool(tokens) and tokens[-1] in _ends(loaded)
    kept = tokens[:-1] if ended else tokens  # the mark of the end is no part of the answer
    said = _text(loaded, kept)
    shown = min((said.find(stop) for stop in settings.stop if stop in said), default=len(said))
    content, notes = clean(said[:shown])
    while len(_text(loaded, kept)) > shown:
        kept = kept[:-1]  # neither is the text that it was told to stop at
    return Reply(
        content=content,
        latency_seconds=0.0,
        finish_reason="stop" if ended or shown < len(said) else "length",
        completion_tokens=len(tokens),
        tokens=watcher.scores(len(kept)),
        token_texts=[_text(loaded, [token]) for token in kept],
        truncated=len(content) < shown,
        notes=(*notes, *watcher.notes),
        raw={"model_type": loaded.model.config.model_type},
    )


def _text(loaded: Loaded, tokens: Sequence[int]) -> str:
    return str(loaded.tokenizer.decode(tokens, skip_special_tokens=True))
