"""OpenAI-compatible server.

vLLM, llama.cpp, LM Studio, the model in the box and hosted services: `/v1/chat/completions`, or
`/v1/completions` for models that only continue a text. What is optional and refused is left out, and said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import httpx

from scoring import parameters
from scoring.gateway_contract import GatewayError, Probe, Prompt, Reply, Target
from scoring.parameters import Settings
from scoring.wire import clients, concessions, exchange, probing
from scoring.wire.cleaning import clean, count_of, part_of, text_of
from scoring.wire.concessions import Body, Concession, without
from scoring.wire.exchange import Exchanged
from scoring.wire.replies import Parts, reply

NEEDS_ADDRESS = True
client = clients.client

_VERSION = re.compile(r"/v\d+\w*(/|$)")
_METADATA = ("id", "model", "system_fingerprint", "timings")
_UNSUPPORTED = r"(support|deprecated|only the default|not (allowed|permitted)|cannot)"


async def ask(client: httpx.AsyncClient | None, target: Target, prompt: Prompt) -> Reply:
    """Ask once; a server that refuses something optional is asked again without, and later ones at once."""
    assert client is not None
    settings = parameters.read(target.parameters)
    url = f"{_root(target.base_url)}/{'completions' if settings.completion else 'chat/completions'}"
    listed = (1 + settings.top_logprobs) * (settings.max_tokens or 4096) if settings.logprobs else 0
    exchanged, notes = await concessions.post(
        client, target, url, _body(target, settings, prompt), _CONCESSIONS, logprobs=listed
    )
    return _reply(exchanged, target, settings, notes)


async def models(client: httpx.AsyncClient | None, target: Target) -> list[str]:
    """List what the server serves."""
    assert client is not None
    return list((await _served(client, target)).models)


async def probe(client: httpx.AsyncClient | None, target: Target) -> Probe:
    """Find out whether the target answers, and what it gives."""
    assert client is not None
    return await probing.probe(
        target, lambda hurried: _served(client, hurried), lambda small, prompt: ask(client, small, prompt)
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


def _reply(exchanged: Exchanged, target: Target, settings: Settings, notes: tuple[str, ...]) -> Reply:
    data = exchanged.data
    choice = data if exchanged.beginning else _choice(data, target)
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


def _choice(data: Mapping[str, Any], target: Target) -> Mapping[str, Any]:
    choices = data.get("choices")
    if not (isinstance(choices, list) and choices and isinstance(choices[0], dict)):
        raise GatewayError("bad_reply", "The server's reply holds no answer.", permanent=False)
    if choices[0].get("error"):  # some services forward a fault of the model's own server in here
        raise exchange.told(choices[0], target)
    return choices[0]


async def _served(client: httpx.AsyncClient, target: Target) -> probing.Served:
    data = (await exchange.get(client, target, f"{_root(target.base_url)}/models")).data.get("data")
    if not isinstance(data, list):
        raise GatewayError("bad_reply", "The server does not list its models.", permanent=False)
    listed = {
        clean(str(model["id"]))[0]: model for model in data if isinstance(model, dict) and "id" in model
    }
    meta = part_of(listed.get(target.model), "meta")
    return probing.Served(sorted(listed), target.model in listed, count_of(meta.get("n_vocab")))


def _rename(body: Body) -> None:
    body["max_completion_tokens"] = body.pop("max_tokens")


def _count_field(body: Body) -> str:
    """Name the field that says how many of the likeliest tokens are wanted: a chat's, or a completion's."""
    return "logprobs" if "prompt" in body else "top_logprobs"


def _fewer(most: int) -> Concession:
    return Concession(
        f"logprobs {most}",
        "logprobs",
        _LOGPROBS,
        lambda body: body.get(_count_field(body), 0) > most,
        lambda body: body.update({_count_field(body): most}),
        f"The server does not list so many of the likeliest tokens; it was asked for {most}.",
    )


def _drop_logprobs(body: Body) -> None:
    del body["logprobs"]
    body.pop("top_logprobs", None)


def _own_heat(field: str) -> Concession:
    """Leave out what reasoning models set themselves; a value out of range is still an error."""
    words = rf"\b{field}\b.{{0,100}}{_UNSUPPORTED}|{_UNSUPPORTED}.{{0,40}}\b{field}\b"
    return without(field, words, f"The server takes no {field} but its own; it was asked without.")


_LOGPROBS: Final = re.compile(r"log_?prob", re.IGNORECASE)
# What can be left out without asking another question, in the order in which it is tried.
_CONCESSIONS: Final = (
    Concession(  # newer models know it by another name
        "max_completion_tokens",
        "max_tokens",
        re.compile("max_completion_tokens"),
        lambda body: "max_tokens" in body,
        _rename,
    ),
    _fewer(20),
    _fewer(5),
    Concession(
        "logprobs",
        "logprobs",
        _LOGPROBS,
        lambda body: "logprobs" in body,
        _drop_logprobs,
        "The server refuses to give log-probabilities; it was asked without.",
    ),
    _own_heat("temperature"),
    _own_heat("top_p"),
    # A schema is the likeliest cause of a refusal that names none.
    without("response_format", "", "The server takes no JSON schema; it was asked without."),
)
