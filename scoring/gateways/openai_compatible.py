"""OpenAI-compatible server.

vLLM, llama.cpp, LM Studio, the model in the box and hosted services: `/v1/chat/completions`, or
`/v1/completions` for models that only continue a text. What is optional and refused is left out, and said.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any, Final

import httpx

from scoring import parameters
from scoring.gateway_contract import GatewayError, Probe, Prompt, Reply, Target
from scoring.parameters import Settings
from scoring.wire import clients, exchange, probing
from scoring.wire.cleaning import clean, count_of, part_of, text_of
from scoring.wire.exchange import Exchanged
from scoring.wire.refusals import RefusalError
from scoring.wire.replies import Parts, reply

client = clients.client

_VERSION = re.compile(r"/v\d+\w*(/|$)")
# What can be left out without asking another question, and the words by which servers name it.
_OPTIONAL: Final = {
    "max_tokens": re.compile(r"max_completion_tokens"),
    "logprobs": re.compile(r"log_?prob", re.IGNORECASE),
    "response_format": re.compile(""),  # a schema is the likeliest cause of a refusal that names none
}
_LEFT_OUT: Final = {
    "logprobs": "The server refuses to give log-probabilities; it was asked without.",
    "response_format": "The server takes no JSON schema; it was asked without.",
}
_METADATA = ("id", "model", "system_fingerprint", "timings")
_REMEMBER_SECONDS = 600.0
_refused: dict[tuple[str, str, str], float] = {}


async def ask(client: httpx.AsyncClient | None, target: Target, prompt: Prompt) -> Reply:
    """Ask once; a server that refuses something optional is asked again without, and later ones at once."""
    assert client is not None
    settings = parameters.read(target.parameters)
    body = _body(target, settings, prompt)
    notes = [note for name in _OPTIONAL if _known_refusal(target, name) for note in _leave_out(body, name)]
    url = f"{_root(target.base_url)}/{'completions' if settings.completion else 'chat/completions'}"
    while True:
        try:
            listed = (1 + settings.top_logprobs) * (settings.max_tokens or 4096) if settings.logprobs else 0
            exchanged = await exchange.post(client, target, url, body, logprobs=listed)
        except RefusalError as error:
            name = _optional(error, body)
            if name is None:
                raise
            _refused[target.base_url, target.model, name] = time.monotonic()
            notes += _leave_out(body, name)
        else:
            return _reply(exchanged, target, settings, tuple(notes))


async def models(client: httpx.AsyncClient | None, target: Target) -> list[str]:
    """List what the server serves."""
    assert client is not None
    return list((await _served(client, target)).models)


async def probe(client: httpx.AsyncClient | None, target: Target) -> Probe:
    """Find out whether the target answers, and what it gives."""
    assert client is not None
    return await probing.probe(
        target, lambda: _served(client, target), lambda small, prompt: ask(client, small, prompt)
    )


def _root(base_url: str) -> str:
    """Add the version to an address that has none."""
    address = base_url.strip().rstrip("/")
    return address if _VERSION.search(address) else f"{address}/v1"


def _body(target: Target, settings: Settings, prompt: Prompt) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": target.model,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "max_tokens": settings.max_tokens,
        "seed": parameters.sampled(settings, prompt.sample),
        "stop": list(settings.stop) or None,
        "stream": False,
    }
    if settings.completion:
        body["prompt"] = "\n\n".join(message["content"] for message in prompt.messages)
        body["logprobs"] = settings.top_logprobs if settings.logprobs else None
    else:
        body["messages"] = [dict(message) for message in prompt.messages]
        body["logprobs"] = settings.logprobs or None
        body["top_logprobs"] = settings.top_logprobs if settings.logprobs else None
    if prompt.schema is not None:
        schema = {"name": "answer", "strict": True, "schema": prompt.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return {name: value for name, value in body.items() if value is not None} | dict(settings.rest)


def _known_refusal(target: Target, name: str) -> bool:
    when = _refused.get((target.base_url, target.model, name))
    return when is not None and time.monotonic() - when < _REMEMBER_SECONDS


def _optional(error: RefusalError, body: Mapping[str, Any]) -> str | None:
    """Find what the server may have refused of what it can be asked without."""
    if error.kind != "refused" or error.status not in {400, 422}:
        return None
    return next(
        (name for name, words in _OPTIONAL.items() if name in body and words.search(error.words)), None
    )


def _leave_out(body: dict[str, Any], name: str) -> list[str]:
    if name not in body:
        return []
    value = body.pop(name)
    if name == "max_tokens":  # newer models know it by another name
        body["max_completion_tokens"] = value
    if name == "logprobs":
        body.pop("top_logprobs", None)
    return [_LEFT_OUT[name]] if name in _LEFT_OUT else []


def _reply(exchanged: Exchanged, target: Target, settings: Settings, notes: tuple[str, ...]) -> Reply:
    data = exchanged.data
    choice = data if exchanged.beginning else _choice(data)
    message, usage = part_of(choice, "message"), part_of(data, "usage")
    parts = Parts(
        said=text_of(message.get("content", choice.get("text"))) or text_of(message.get("refusal")),
        thought=text_of(message.get("reasoning_content") or message.get("reasoning")),
        finish_reason=choice.get("finish_reason"),
        prompt_tokens=usage.get("prompt_tokens"),
        completion_tokens=usage.get("completion_tokens"),
        logprobs=choice.get("logprobs"),
        raw={name: data[name] for name in _METADATA if name in data},
    )
    return reply(exchanged, parts, target, settings.vocabulary, notes)


def _choice(data: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = data.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    raise GatewayError("bad_reply", "The server's reply holds no answer.", permanent=False)


async def _served(client: httpx.AsyncClient, target: Target) -> probing.Served:
    data = (await exchange.get(client, target, f"{_root(target.base_url)}/models")).data.get("data")
    if not isinstance(data, list):
        raise GatewayError("bad_reply", "The server does not list its models.", permanent=False)
    listed = {
        clean(str(model["id"]))[0]: model for model in data if isinstance(model, dict) and "id" in model
    }
    meta = part_of(listed.get(target.model), "meta")
    return probing.Served(sorted(listed), count_of(meta.get("n_vocab")))
