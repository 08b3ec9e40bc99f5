"""A worker's heartbeat goes in; who listens on which queue comes out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from threading import Event

from django.db.models.functions import Now

from scoring.models import Worker

PULSE_SECONDS = 5.0
# Whoever has said nothing for so long is taken for dead.
SILENCE = timedelta(seconds=20)
FORGOTTEN = timedelta(days=1)

# Set when this process is told to stop: long tasks look at it, and leave.
stopping = Event()


def pulse(name: str, queues: Sequence[str]) -> None:
    """Take note that a worker lives, and of what it listens to."""
    Worker.objects.update_or_create(name=name, defaults={"queues": sorted(queues), "seen_at": Now()})


def farewell(name: str) -> None:
    """Take note that a worker leaves, and forget those that left long ago without a word."""
    Worker.objects.filter(name=name).delete()
    Worker.objects.filter(seen_at__lt=Now() - FORGOTTEN).delete()


def listening(queue: str) -> bool:
    """Say whether any worker listens on a queue."""
    return Worker.objects.filter(queues__contains=[queue], seen_at__gte=Now() - SILENCE).exists()


def silent_queues(queues: Sequence[str] = ("inference", "judging", "scoring", "default")) -> list[str]:
    """List the queues on which nobody listens."""
    alive = Worker.objects.filter(seen_at__gte=Now() - SILENCE).values_list("queues", flat=True)
    heard = {queue for listed in alive for queue in listed}
    return [queue for queue in queues if queue not in heard]
