"""A gateway's own functions go in, what a test of the connection found comes out."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from scoring.gateway_contract import GatewayError, Probe, Prompt, Reply, Target
from scoring.wire.refusals import RefusalError

_QUESTION = Prompt(messages=[{"role": "user", "content": "Reply with the word yes."}], case_key="probe")
# Some services refuse fewer than sixteen.
_MOST_TOKENS = 16
# Lists come at once, or not at all. The question gets the target's own time: some servers load a large model
# only when it is asked, and give that up when the connection is closed.
LIST_SECONDS = 15.0
# These say that someone is there.
_ANSWERED = frozenset(
    {"out_of_quota", "rate_limited", "refused", "too_long", "unauthorised", "unknown_model"}
)
_LOADING = re.compile(r"\bloading\b", re.IGNORECASE)


class Served(NamedTuple):
    """The models that a server lists, whether the target's is one, and the size of its vocabulary if told."""

    models: Sequence[str]
    listed: bool = False
    vocabulary: int | None = None


async def probe(
    target: Target,
    list_models: Callable[[Target], Awaitable[Served]],
    ask: Callable[[Target, Prompt], Awaitable[Reply]],
) -> Probe:
    """List the models and ask the target a short question, with log-probabilities."""
    served, trouble = Served(()), None
    try:
        served = await list_models(_hurried(target))
    except GatewayError as error:
        if error.kind not in {"bad_reply", "wrong_address", "refused"}:  # not every service has a list
            return _failed(error, served)
        trouble = error
    try:
        reply = await ask(_small(target), _QUESTION)
    except GatewayError as error:
        if served.listed and error.kind == "timeout":
            return _slow(target, served)
        return _failed(trouble or error, served)
    return _answered(reply, served)


def _hurried(target: Target) -> Target:
    return replace(target, timeout_seconds=min(target.timeout_seconds, LIST_SECONDS))


def _small(target: Target) -> Target:
    wanted = {"max_tokens": _MOST_TOKENS, "logprobs": True, "top_logprobs": 1}
    return replace(target, parameters={**target.parameters, **wanted})


def _answered(reply: Reply, served: Served) -> Probe:
    known = reply.tokens is not None
    words = "with log-probabilities" if known else "without log-probabilities"
    return Probe(
        reachable=True,
        answers=True,
        message=f"The model answers in {reply.latency_seconds:.1f} seconds, {words}.",
        latency_seconds=reply.latency_seconds,
        models=tuple(served.models),
        logprobs=known,
        vocabulary=served.vocabulary or (reply.tokens.vocabulary if reply.tokens else None),
    )


def _slow(target: Target, served: Served) -> Probe:
    words = (
        f"The model is listed, but has not answered a short question within {target.timeout_seconds:g} s: it "
        "may still be loading. A run can start; if loading takes longer, give the endpoint more seconds."
    )
    return Probe(
        reachable=True,
        answers=False,
        message=words,
        models=tuple(served.models),
        vocabulary=served.vocabulary,
        loading=True,
    )


def _failed(error: GatewayError, served: Served) -> Probe:
    loading = isinstance(error, RefusalError) and error.status == 503 and bool(_LOADING.search(error.words))
    there = loading or bool(served.models) or error.kind in _ANSWERED
    return Probe(
        reachable=there,
        answers=False,
        message=error.message,
        models=tuple(served.models),
        loading=loading,
    )
