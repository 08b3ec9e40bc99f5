"""An endpoint's row goes in; the gateway's target, with the key from the environment, comes out."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from scoring import registry
from scoring.gateway_contract import Gateway, GatewayError, Probe, Target
from scoring.models import Endpoint

PROBE_SECONDS = 15.0


def gateway(endpoint: Endpoint) -> Gateway:
    """Find the way to reach an endpoint."""
    return cast(Gateway, registry.plugin("scoring.gateways", endpoint.gateway))


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
        extra={"base": base.model} if base else {},
    )


def probe(endpoint: Endpoint) -> Probe:
    """Find out whether an endpoint answers, what it serves and what it gives; faults are told, not raised."""
    try:
        asked = target(endpoint)
        return asyncio.run(_probe(gateway(endpoint), asked))
    except GatewayError as error:
        return Probe(reachable=False, answers=False, message=error.message)
    except registry.UnknownPluginError:
        return Probe(reachable=False, answers=False, message=f"There is no gateway {endpoint.gateway!r}.")


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


async def _probe(way: Gateway, asked: Target) -> Probe:
    asked = replace(asked, timeout_seconds=min(asked.timeout_seconds, PROBE_SECONDS))
    client = way.client(asked)
    try:
        async with asyncio.timeout(PROBE_SECONDS * 2):
            return await way.probe(client, asked)
    except TimeoutError:
        return Probe(reachable=False, answers=False, message=f"No answer within {PROBE_SECONDS * 2:.0f} s.")
    finally:
        if client is not None:
            await client.aclose()


def _key(endpoint: Endpoint) -> str:
    if not endpoint.key_variable:
        return ""
    key = os.environ.get(endpoint.key_variable, "")
    if not key:
        raise GatewayError(
            "unauthorised",
            f"The environment variable {endpoint.key_variable} holds no key on this machine: set it for the "
            "portal and its workers, and restart them.",
        )
    return key
