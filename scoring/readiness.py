"""A run that shall start goes in; those of its models that do not answer, and why, come out."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from django.db import connection

from scoring import endpoints
from scoring.gateway_contract import Probe
from scoring.models import Endpoint, Run


@dataclass(frozen=True)
class Unready:
    """A model or a judge that does not answer, and what the test of its connection says."""

    endpoint: Endpoint
    message: str


def unready(run: Run) -> list[Unready]:
    """Test the connection with a run's model and its judge; whoever does not answer is named."""
    asked = list({one.pk: one for one in (run.endpoint, run.judge) if one}.values())
    return [
        Unready(endpoint, probe.message)
        for endpoint, probe in zip(asked, _probes(asked), strict=True)
        if not probe.startable
    ]


def _probes(asked: list[Endpoint]) -> list[Probe]:
    """Test all at a time: two slow servers keep whoever waits no longer than one."""
    first, *others = asked
    with ThreadPoolExecutor(max_workers=len(asked)) as pool:
        rest = [pool.submit(_probe_aside, endpoint) for endpoint in others]
        return [endpoints.probe(first), *(found.result() for found in rest)]


def _probe_aside(endpoint: Endpoint) -> Probe:
    try:
        return endpoints.probe(endpoint)
    finally:
        connection.close()  # a thread has a connection of its own, and nobody else would close it
