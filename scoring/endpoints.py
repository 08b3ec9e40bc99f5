"""An endpoint's row goes in; the gateway's target, with the key from the environment, comes out."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any, cast

from django.conf import settings
from django.db.models.functions import Now

from scoring import keys, recordings, registry
from scoring.gateway_contract import Gateway, GatewayError, Probe, Target
from scoring.models import Endpoint, Recording
from scoring.wire.probing import LIST_SECONDS

GATEWAYS = "scoring.gateways"
LOCAL_WEIGHTS = "transformers_local"
PROBE_SECONDS = LIST_SECONDS
# Whoever tests a connection on a page waits no longer than this.
PAGE_SECONDS = 120.0


def gateway(endpoint: Endpoint) -> Gateway:
    """Find the way to reach an endpoint."""
    return cast(Gateway, registry.plugin(GATEWAYS, endpoint.gateway))


def target(
    endpoint: Endpoint, parameters: Mapping[str, Any] | None = None, *, base: Endpoint | None = None
) -> Target:
    """Say what a gateway must know to ask; a run's parameters go over the endpoint's own."""
    return Target(
        model=endpoint.model,
        base_url=endpoint.base_url,
        parameters={**endpoint.parameters, **(parameters or {})},
        timeout_seconds=float(endpoint.timeout_seconds),
        key=_key(endpoint),
        extra=_extra(endpoint, base),
    )


def record(endpoint: Endpoint, lines: Iterable[str]) -> Recording:
    """Keep answers that a model gave elsewhere, in place of those before; bad lines are a RecordingError."""
    content = "\n".join(line.strip() for line in lines if line.strip())
    answers = len(recordings.read(recordings.lines(content)))
    kept, _ = Recording.objects.update_or_create(
        endpoint=endpoint, defaults={"content": content, "answers": answers, "created_at": Now()}
    )
    return kept


def probe(endpoint: Endpoint, *, most_seconds: float = math.inf) -> Probe:
    """Find out whether an endpoint answers, what it serves and what it gives; faults are told, not raised."""
    try:
        asked = target(endpoint)
        asked = replace(asked, timeout_seconds=min(asked.timeout_seconds, most_seconds))
        return asyncio.run(_probe(gateway(endpoint), asked))
    except GatewayError as error:
        return Probe(reachable=False, answers=False, message=error.message)
    except registry.UnknownPluginError:
        return Probe(reachable=False, answers=False, message=f"There is no gateway {endpoint.gateway!r}.")


def patience(asked: Target) -> float:
    """Say how long a test of the connection may take: lists, and a question in the target's own time."""
    return 2 * PROBE_SECONDS + asked.timeout_seconds


def identity(endpoint: Endpoint) -> str:
    """Sum up all that makes a connection to an endpoint; another sum needs another connection."""
    parts: Sequence[Any] = (
        endpoint.gateway,
        endpoint.base_url,
        endpoint.model,
        endpoint.key_variable,
        endpoint.parameters,
        endpoint.system_prompt,
        endpoint.timeout_seconds,
    )
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _extra(endpoint: Endpoint, base: Endpoint | None) -> dict[str, Any]:
    """Add what only one gateway wants: recorded answers, or where weights are kept and come from."""
    if endpoint.gateway == "recorded":
        kept = Recording.objects.filter(endpoint=endpoint).values_list("created_at", flat=True).first()
        return {"answers": _answers(endpoint.pk, kept)}
    if endpoint.gateway == LOCAL_WEIGHTS:
        return {"cache": str(settings.VAR / "weights")} | ({"base": _weights(base)} if base else {})
    return {}


def _weights(base: Endpoint) -> str:
    """Name the weights that a model was tuned from; the name of a server's model would lead to others."""
    if base.gateway != LOCAL_WEIGHTS:
        raise GatewayError(
            "bad_parameters", f"The base model {base.name} is not made of local weights: choose one that is."
        )
    return base.model


@lru_cache(maxsize=4)
def _answers(endpoint_id: int, kept: datetime | None) -> Mapping[recordings.Place, recordings.Recorded]:
    """Read a recording once; a later one has another time, and is read anew."""
    found = Recording.objects.filter(endpoint=endpoint_id).first()
    return recordings.read(recordings.lines(found.content)) if found else {}


async def _probe(way: Gateway, asked: Target) -> Probe:
    client = way.client(asked)
    try:
        async with asyncio.timeout(patience(asked)):
            return await way.probe(client, asked)
    except TimeoutError:
        return Probe(reachable=False, answers=False, message=f"No answer within {patience(asked):.0f} s.")
    finally:
        if client is not None:
            await client.aclose()


def _key(endpoint: Endpoint) -> str:
    """Take the key; rows may come from elsewhere than the form, so their variable is checked again."""
    if not endpoint.key_variable:
        return ""
    try:
        return keys.take(endpoint.key_variable)
    except keys.KeyVariableError as error:
        raise GatewayError("unauthorised", str(error)) from None
