"""Bells go in; the steps they call for are taken. A bell may be lost or come twice: rows say what is left."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from time import monotonic
from typing import Any

from celery import shared_task
from celery.signals import worker_process_init, worker_ready, worker_shutdown, worker_shutting_down
from django.db import close_old_connections, transaction
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError

from scoring import endpoints, receiving, registry, scores, searching
from scoring.engine import asking, bells, blockades, locks, sweeping, workers
from scoring.engine.bells import QUEUES, Bell
from scoring.models import Endpoint, Run, Upload

# A bell that nobody has heard for so long has been rung again by the sweep.
_EXPIRES_SECONDS = 60
# A broker that does not answer is left alone for so long, so that nobody waits for it again and again.
_LEFT_ALONE_SECONDS = 5.0

logger = logging.getLogger(__name__)


class _Line:
    """The way to the broker. What is lost on it is found in the database by the sweeps."""

    def __init__(self) -> None:
        self._again_at = 0.0

    def wake(self, task: Any, number: int, **options: Any) -> None:
        """Ask whoever listens to do a task; without a broker nobody hears it."""
        if monotonic() < self._again_at:
            return
        try:
            task.apply_async((number,), retry=False, **options)
        except (BrokerError, RedisError, OSError) as error:
            self._again_at = monotonic() + _LEFT_ALONE_SECONDS
            logger.warning("The broker does not answer: %s", error, extra={"task": task.name, "of": number})


wake = _Line().wake


def ring(bell: Bell) -> None:
    """Wake somebody for a bell."""
    task: Any = {"ask": ask, "judge": ask, "probe": probe, "score": score}[bell.task]
    wake(task, bell.number, queue=QUEUES[bell.task], expires=_EXPIRES_SECONDS)


def ring_for(run: Run) -> None:
    """Wake whoever has something to do for a run, once the transaction is through."""

    def ring_all() -> None:
        for bell in bells.of(run):
            ring(bell)

    transaction.on_commit(ring_all)


@shared_task
def process_upload(upload_id: int) -> None:
    """Check or import an upload."""
    with _patience("reading an upload", upload=upload_id):
        upload = Upload.objects.get(pk=upload_id)
        receiving.process(upload)
        # Whoever was put off rings for nobody: two of them would wake each other again and again.
        for put_off in () if upload.under_way else receiving.put_off():
            wake(process_upload, put_off)
        searching.prepare()


@shared_task
def sweep_uploads() -> None:
    """Read uploads that nobody reads, and remove files that nobody needs any more."""
    with _patience("sweeping uploads"):
        for upload_id in receiving.unheard():
            wake(process_upload, upload_id)
        receiving.sweep()
        searching.prepare()


@shared_task
def ask(endpoint_id: int) -> None:
    """Ask all that waits at an endpoint; a broker that is silent holds up the bells, and not the answers."""
    with _patience("asking", endpoint=endpoint_id), ThreadPoolExecutor(1, "bells") as ringer:
        asking.serve(
            endpoint_id, ring=lambda bell: ringer.submit(_ring_aside, bell), stopping=workers.stopping
        )


def _ring_aside(bell: Bell) -> None:
    """Ring where nobody waits for the outcome: what goes wrong is told here, or never."""
    try:
        ring(bell)
    except Exception:
        logger.exception("A bell could not be rung", extra=bell._asdict())


@shared_task
def score(run_id: int) -> None:
    """Score what can be scored of a run."""
    with _patience("scoring", run=run_id):
        scores.score(run_id, ring=ring, stopping=workers.stopping)


@shared_task
def probe(endpoint_id: int) -> None:
    """Try an endpoint that was down, and wake its runs if it answers."""
    with _patience("probing", endpoint=endpoint_id):
        for run_id in blockades.probe(Endpoint.objects.get(pk=endpoint_id)):
            ring_for(Run.objects.get(pk=run_id))


@shared_task
def sweep() -> None:
    """Find work that waits and that nobody does."""
    with _patience("sweeping"):
        sweeping.sweep(ring)


@contextmanager
def _patience(doing: str, **about: int) -> Iterator[None]:
    """Give up quietly when the database goes away or the row is gone: the sweep finds what is left."""
    try:
        yield
    except locks.LOST as error:
        logger.warning("The database went away while %s: %s", doing, error, extra=about)
    except (Endpoint.DoesNotExist, Run.DoesNotExist, Upload.DoesNotExist):
        logger.info("Nothing is there for %s", doing, extra=about)


@worker_ready.connect
def _begin_pulse(sender: Any, **_: Any) -> None:
    queues = [str(name) for name in sender.app.amqp.queues.consume_from]
    _beat(sender.hostname, queues)
    sender.timer.call_repeatedly(workers.PULSE_SECONDS, _beat, (sender.hostname, queues))


@worker_ready.connect
def _load_gateways(sender: Any, **_: Any) -> None:
    """Let the first run not wait for what every run needs."""
    if QUEUES["ask"] in sender.app.amqp.queues.consume_from:
        registry.plugins(endpoints.GATEWAYS)


@worker_process_init.connect
@worker_ready.connect
def _clear_stop(**_: Any) -> None:
    workers.stopping.clear()


@worker_shutting_down.connect
def _stop(**_: Any) -> None:
    workers.stopping.set()


@worker_shutdown.connect
def _end_pulse(sender: Any, **_: Any) -> None:
    _quietly(lambda: workers.farewell(sender.hostname))


def _beat(name: str, queues: list[str]) -> None:
    _quietly(lambda: workers.pulse(name, queues))


def _quietly(work: Callable[[], None]) -> None:
    """Do what may fail while the database is away, in the worker's own thread."""
    try:
        close_old_connections()
        work()
    except locks.LOST as error:
        logger.warning("The pulse was not heard: %s", error)
