"""Echo (for tests and demonstrations).

Says the prompt's last message back, or what its parameters tell it: `reply` (a text, or a list of which
sample n takes the n-th), `words` (say so many of them), `delay` (seconds), `fail` (how often each prompt
fails first, -1: always), and of that failure the `kind`, `permanent` and `retry_after`.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any, get_args

import httpx

from scoring import parameters
from scoring.gateway_contract import AnswerScores, GatewayError, Kind, Probe, Prompt, Reply, Target
from scoring.wire.cleaning import clean

# How often each prompt has failed in this process; those that have failed enough are forgotten.
_failures: Counter[tuple[str, str, int, float, str]] = Counter()


def client(target: Target) -> None:
    """Nothing to open."""


async def ask(client: httpx.AsyncClient | None, target: Target, prompt: Prompt) -> Reply:
    """Answer as scripted."""
    settings = parameters.read(target.parameters)
    started = time.perf_counter()
    try:
        async with asyncio.timeout(target.timeout_seconds):
            await asyncio.sleep(_number(settings.rest, "delay"))
    except TimeoutError:
        raise GatewayError(
            "timeout", "The scripted delay is longer than the time-out.", permanent=False
        ) from None
    _fail(target, prompt, settings.rest)
    content, notes = clean(_scripted(prompt, settings.rest))
    words = content.split()
    return Reply(
        content=content,
        latency_seconds=time.perf_counter() - started,
        finish_reason="stop",
        prompt_tokens=sum(len(message["content"].split()) for message in prompt.messages),
        completion_tokens=len(words),
        tokens=_scores(len(words), settings.top_logprobs) if settings.logprobs else None,
        notes=notes,
    )


async def models(client: httpx.AsyncClient | None, target: Target) -> list[str]:
    """List the one that there is."""
    return [target.model or "echo"]


async def probe(client: httpx.AsyncClient | None, target: Target) -> Probe:
    """Always there."""
    named = (target.model or "echo",)
    return Probe(
        True, True, "The echo answers.", latency_seconds=0.0, models=named, logprobs=True, vocabulary=2
    )


def _fail(target: Target, prompt: Prompt, script: Mapping[str, Any]) -> None:
    times = _number(script, "fail")
    if not times:
        return
    words = prompt.messages[-1]["content"]
    key = (target.model, prompt.case_key, prompt.sample, prompt.noise, words)
    if _failures[key] == times:
        del _failures[key]
        return
    _failures[key] += 1
    kind: Kind = script.get("kind", "server_error")
    if kind not in get_args(Kind):
        raise GatewayError(
            "bad_parameters", f"The parameter kind must be one of: {', '.join(get_args(Kind))}."
        )
    wait = _number(script, "retry_after") if "retry_after" in script else None
    raise GatewayError(kind, "A scripted failure.", permanent=bool(script.get("permanent")), retry_after=wait)


def _scripted(prompt: Prompt, script: Mapping[str, Any]) -> str:
    reply = script.get("reply", prompt.messages[-1]["content"])
    if isinstance(reply, list) and reply:
        reply = reply[(prompt.sample - 1) % len(reply)]
    if not isinstance(reply, str):
        raise GatewayError("bad_parameters", "The parameter reply must be a text or a list of texts.")
    return " ".join(reply.split()[: int(_number(script, "words"))]) if "words" in script else reply


def _scores(count: int, top: int) -> AnswerScores:
    """Choose each word at even odds, of two."""
    even = math.log(0.5)
    tops = [[even, even][:top] for _ in range(count)] if top else None
    return AnswerScores(logprobs=[even] * count, top_logprobs=tops, vocabulary=2)


def _number(script: Mapping[str, Any], name: str) -> float:
    value = script.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise GatewayError("bad_parameters", f"The parameter {name} must be a number.")
    return max(value, -1)
