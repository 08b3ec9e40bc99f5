"""The clock and the views ring; boards are brought up to date, and large files are written and read."""

from __future__ import annotations

import logging
from threading import Lock

from celery import shared_task
from django.core.management import call_command

from evalportal import jobs, upkeep
from evalportal.bundles import receiving
from evalportal.exports import making
from evalportal.models import BundleImport, Export
from scoring.tasks import wake

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


@shared_task
def make_export(export_id: int) -> None:
    """Write a file that somebody ordered."""
    for export in Export.objects.filter(pk=export_id):
        making.make(export)


@shared_task
def import_bundle(bundle_id: int) -> None:
    """Import a bundle that somebody sent."""
    for bundle in BundleImport.objects.filter(pk=bundle_id):
        receiving.read(bundle)


@shared_task
def sweep_jobs() -> None:
    """Do what nobody does, and remove what nobody fetched, and sessions that are over."""
    for export_id in jobs.unheard(Export):
        wake(make_export, export_id)
    for bundle_id in jobs.unheard(BundleImport):
        wake(import_bundle, bundle_id)
    jobs.forget(Export)
    jobs.forget(BundleImport)
    call_command("clearsessions")
