"""What tests of asking share: an asker in a thread of its own, and what became of a run's questions."""

from __future__ import annotations

from threading import Event

from django.db import connection

from scoring.engine import asking, bells
from scoring.models import Response, Run


def serve_until(endpoint_id: int, stopping: Event) -> None:
    """Ask all that waits at an endpoint, in a thread that has a connection of its own."""
    asking.serve(endpoint_id, ring=bells.silent, stopping=stopping)
    connection.close()


def kinds(run: Run) -> dict[str, int]:
    """Count the answers of a run by their state."""
    found: dict[str, int] = {}
    for state in Response.objects.filter(run=run).values_list("state", flat=True):
        found[state] = found.get(state, 0) + 1
    return found
