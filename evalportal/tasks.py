"""The clock goes in; boards are brought up to date, so that pages only have to read them."""

from __future__ import annotations

import logging
from threading import Lock

from celery import shared_task

from evalportal import upkeep

# Twice the same work at the same time is of no use, and would keep another thread from its own.
_at_work = Lock()

logger = logging.getLogger(__name__)


@shared_task
def sweep_boards() -> None:
    """Make what boards lack; whoever comes while somebody is at it has nothing to do."""
    if not _at_work.acquire(blocking=False):
        return
    try:
        for version in upkeep.refresh():
            logger.info("The board is up to date", extra={"version": version})
    finally:
        _at_work.release()
