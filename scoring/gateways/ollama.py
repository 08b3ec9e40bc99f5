"""Ollama.

`/api/chat`, or `/api/generate` for models that only continue a text. Servers from version 0.12.11 on give
log-probabilities; older ones leave them out in silence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from scoring import parameters
from scoring.gateway_contract import GatewayError, Probe, Prompt, Reply, Target
from scoring.parameters import Settings
from scoring.wire import clients, concessions, exchange, probing
from scoring.wire.cleaning import clean, count_of, part_of, text_of
from scoring.wire.exchange import Exchanged
from scoring.wire.replies import Parts, reply

NEEDS_ADDRESS = True
client = clients.client

# Fields of the request itself; every other parameter is one of the model's options.
_OF_THE_REQUEST = frozenset({"keep_alive", "think", "template", "truncate", "shift"})
_CONCESSIONS = (
    concessions.without("think", "think", "The model takes no such setting of think; it was asked without."),
    concessions.without(
        "format", r"\bformat\b|schema|grammar", "The server takes no JSON schema; it was asked without."
    ),
)
_DURATIONS = ("total_duration", "load_duration", "prompt_eval_duration", "eval_duration")


async def ask(client: httpx.AsyncClient | None, target: Target, prompt: Prompt) -> Reply:
    """Ask once."""
    assert client is not None
    settings = parameters.read(target.parameters)
    url = f"{_root(target.base_url)}/api/{'generate' if settings.completion else 'chat'}"
    listed = (1 + settings.top_logprobs) * (settings.max_tokens or 4096) if settings.logprobs else 0
    exchanged, notes = await concessions.post(
        client, target, url, _body(target, settings, prompt), _CONCESSIONS, logprobs=listed
    )
    return reply(exchanged, _parts(exchanged), target, settings.vocabulary, notes)


async def models(client: httpx.AsyncClient | None, target: Target) -> list[str]:
    """List what has been pulled."""
    assert client is not None
    data = (await exchange.get(client, target, f"{_root(target.base_url)}/api/tags")).data.get("models")
    if not isinstance(data, list):
        raise GatewayError("bad_reply", "The server does not list its models.", permanent=False)
    return sorted(
        clean(str(model["name"]))[0] for model in data if isinstance(model, dict) and "name" in model
    )


async def probe(client: httpx.AsyncClient | None, target: Target) -> Probe:
    """Find out whether the target answers, and what it gives."""
    assert client is not None
    return await probing.probe(
        target, lambda hurried: _served(client, hurried), lambda small, prompt: ask(client, small, prompt)
    )


def is_listed(model: str, names: Sequence[str]) -> bool:
    """Find a model among those of the server, where one without a tag is the latest."""
    return model in names or f"{model}:latest" in names


def _root(base_url: str) -> str:
    """Take the address of the server itself, which some know with the path of an interface."""
    return base_url.strip().rstrip("/").removesuffix("/api").removesuffix("/v1")


def _body(target: Target, settings: Settings, prompt: Prompt) -> dict[str, Any]:
    options = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "num_predict": settings.max_tokens,
        "num_ctx": settings.context_tokens,
        "seed": parameters.sampled(settings, prompt.sample),
        "stop": list(settings.stop) or None,
    }
    body: dict[str, Any] = {
        "model": target.model,
        "stream": False,
        # A prompt that does not fit must fail: by default its beginning is dropped in silence.
        "truncate": False,
        "shift": False,
        "options": {name: value for name, value in options.items() if value is not None},
    }
    for name, value in settings.rest.items():
        (body if name in _OF_THE_REQUEST else body["options"])[name] = value
    if settings.completion:
        body |= {"prompt": "\n\n".join(message["content"] for message in prompt.messages), "raw": True}
    else:
        body["messages"] = [dict(message) for message in prompt.messages]
    if settings.logprobs:
        body |= {"logprobs": True, "top_logprobs": min(settings.top_logprobs, 20)}
    return body if prompt.schema is None else body | {"format": prompt.schema}


def _parts(exchanged: Exchanged) -> Parts:
    data = exchanged.data
    if text_of(data.get("done_reason")) in {"load", "unload"}:
        message = "The server loaded or unloaded the model, and answered nothing: is the prompt empty?"
        raise GatewayError("bad_reply", message, permanent=False)
    said, thought = (text_of(data["text"]), "") if exchanged.beginning else _message(data)
    return Parts(
        said=said,
        thought=thought,
        finish_reason=data.get("done_reason"),
        prompt_tokens=data.get("prompt_eval_count"),
        completion_tokens=data.get("eval_count"),
        logprobs=data.get("logprobs"),
        raw={name: data[name] for name in ("model", *_DURATIONS) if name in data},
    )


def _message(data: Mapping[str, Any]) -> tuple[str, str]:
    message = data.get("message")
    if isinstance(message, dict):
        return text_of(message.get("content")), text_of(message.get("thinking"))
    if "response" in data:
        return text_of(data["response"]), text_of(data.get("thinking"))
    raise GatewayError("bad_reply", "The server's reply holds no answer.", permanent=False)


async def _served(client: httpx.AsyncClient, target: Target) -> probing.Served:
    names = await models(client, target)
    listed = is_listed(target.model, names)
    try:
        url = f"{_root(target.base_url)}/api/show"
        shown = part_of(
            (await exchange.post(client, target, url, {"model": target.model})).data, "model_info"
        )
    except GatewayError:
        return probing.Served(names, listed)  # the question itself will tell what is wrong
    sizes = [value for name, value in shown.items() if name.endswith(".vocab_size")]
    return probing.Served(names, listed, count_of(sizes[0]) if sizes else None)
