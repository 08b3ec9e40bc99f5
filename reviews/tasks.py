"""The clock goes in; runs are drawn from, leases come back, runs are final, and reviewers are written to."""

from __future__ import annotations

import logging

from celery import shared_task

from reviews import assignments, finishing, notices, sampling
from reviews.items import ReviewError
from scoring.models import Run
from scoring.tasks import ring_for

logger = logging.getLogger(__name__)


@shared_task
def sweep_reviews() -> None:
    """Do what waits for nobody; every part may be done twice, and by several at once."""
    for run in sampling.undrawn():
        _draw(run)
    assignments.expire()
    for run_id in finishing.finish_ready():
        ring_for(Run.objects.get(pk=run_id))


@shared_task
def send_notices() -> None:
    """Write to reviewers for whom new work waits, if notices are switched on."""
    if count := notices.send():
        logger.info("Told %s reviewers that answers wait", count)


def _draw(run: Run) -> None:
    try:
        count = sampling.draw(run)
    except ReviewError:  # The run has moved on meanwhile.
        logger.info("Nothing to draw from", extra={"run": run.pk})
    else:
        logger.info("Drew %s answers for people", count, extra={"run": run.pk})
