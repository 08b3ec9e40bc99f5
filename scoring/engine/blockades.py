"""An endpoint that does not answer goes in; its runs come out paused, and go on when it answers again."""

from __future__ import annotations

import logging
from collections.abc import Collection
from datetime import timedelta

from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from scoring import endpoints, runs
from scoring.engine.pace import backoff
from scoring.models import Endpoint, Run

# How long to wait before an endpoint that is down is tried for the first time; then twice as long each time.
FIRST_PROBE_SECONDS = 2.0
# So long after its bell, and the time that a question may take, a test that has told nothing is lost.
PROBE_AGAIN_SECONDS = 60.0

logger = logging.getLogger(__name__)


def block(run_ids: Collection[int], endpoint: Endpoint, reason: str, *, by_itself: bool = True) -> None:
    """Pause runs whose endpoint does not answer; `by_itself`: they go on without a person's doing."""
    logger.warning("Paused: %s", reason, extra={"endpoint": endpoint.pk, "runs": sorted(run_ids)})
    for run_id in run_ids:
        with transaction.atomic():
            run = runs.hold(run_id)
            if run.state in Run.UNDER_WAY:
                run.paused_by_portal, run.blocked_by = by_itself, endpoint
                runs.move(run, Run.State.PAUSED, reason)
                _try_later(run)


def probe(endpoint: Endpoint) -> list[int]:
    """Try an endpoint that is down: resume its runs, and say which, or put the next try off."""
    found = endpoints.probe(endpoint)
    if not found.answers:
        for run in _blocked(endpoint):
            Run.objects.filter(pk=run.pk).update(probes=F("probes") + 1, reason=found.message)
            _try_later(run)
        return []
    return [run.pk for run in _blocked(endpoint) if _resume(run.pk)]


def take_due() -> list[int]:
    """Take the endpoints that are down and should be tried now; nobody else is given them meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute(_DUE, [PROBE_AGAIN_SECONDS])
        return sorted({endpoint for (endpoint,) in cursor.fetchall()})


def answered(run_ids: Collection[int]) -> None:
    """Forget how often an endpoint was tried in vain, now that it has answered a case."""
    Run.objects.filter(pk__in=run_ids, probes__gt=0).update(probes=0)


def _blocked(endpoint: Endpoint) -> QuerySet[Run]:
    return Run.objects.filter(state=Run.State.PAUSED, paused_by_portal=True, blocked_by=endpoint)


def _try_later(run: Run) -> None:
    wait = timedelta(seconds=backoff(run.probes + 1, FIRST_PROBE_SECONDS))
    Run.objects.filter(pk=run.pk).update(probe_at=Now() + wait)


def _resume(run_id: int) -> bool:
    with transaction.atomic():
        run = runs.hold(run_id)
        if run.state != Run.State.PAUSED or not run.paused_by_portal:
            return False
        run.paused_by_portal, run.blocked_by, run.probe_at = False, None, None
        # An endpoint that passes the test and then fails the run again is tried less and less often.
        run.probes = min(run.probes + 1, 30)
        runs.move(run, Run.State.RUNNING if run.started_at else Run.State.QUEUED)
    runs.advance(run_id)
    return True


_DUE = """
UPDATE scoring_run SET probe_at = now() + make_interval(secs => %s + endpoint.timeout_seconds)
FROM scoring_endpoint AS endpoint
WHERE endpoint.id = blocked_by_id AND state = 'paused' AND paused_by_portal AND probe_at <= now()
RETURNING blocked_by_id
"""
