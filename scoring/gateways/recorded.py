"""Recorded answers.

Answers that a model gave elsewhere, uploaded as JSON lines. `Target.extra["answers"]` holds what
`scoring.recordings.read` gave, or any mapping like it.
"""

from __future__ import annotations

from collections.abc import Mapping

import httpx

from scoring.gateway_contract import GatewayError, Probe, Prompt, Reply, Target
from scoring.recordings import Place, Recorded


def client(target: Target) -> None:
    """Nothing to open."""


async def ask(client: httpx.AsyncClient | None, target: Target, prompt: Prompt) -> Reply:
    """Look the answer up: that of the noise level, or the one for all levels."""
    answers = _answers(target)
    exact = answers.get(Place(prompt.case_key, prompt.sample, prompt.noise))
    found = exact or answers.get(Place(prompt.case_key, prompt.sample))
    if found is None:
        raise GatewayError("missing_answer", f"The recording has no answer for {_name(prompt)}.")
    return Reply(
        content=found.content,
        latency_seconds=0.0,
        finish_reason=found.finish_reason,
        completion_tokens=found.completion_tokens,
        tokens=found.tokens,
        notes=found.notes,
    )


async def models(client: httpx.AsyncClient | None, target: Target) -> list[str]:
    """List the model whose answers they are."""
    return [target.model]


async def probe(client: httpx.AsyncClient | None, target: Target) -> Probe:
    """Say how many answers there are."""
    try:
        answers = _answers(target)
    except GatewayError as error:
        return Probe(False, False, error.message)
    scored = any(answer.tokens for answer in answers.values())
    return Probe(
        True, True, f"The recording holds {len(answers):,} answers.", models=(target.model,), logprobs=scored
    )


def _answers(target: Target) -> Mapping[Place, Recorded]:
    answers = target.extra.get("answers")
    if not answers:
        raise GatewayError("missing_answer", "There are no recorded answers: upload them first.")
    return answers  # type: ignore[no-any-return]  # an extra is whatever its gateway says


def _name(prompt: Prompt) -> str:
    noise = f" at noise {prompt.noise:g}" if prompt.noise else ""
    return f"{prompt.case_key}, sample {prompt.sample}{noise}"
