"""All runs under way go in; bells for work that waits and that nobody does come out.

Whatever was lost, a message, a worker or the whole broker, is found here by looking at the rows alone.
"""

from __future__ import annotations

import logging

from django.db import connection

from scoring import runs, scorings
from scoring.engine import blockades, locks, workers
from scoring.engine.bells import QUEUES, Bell, Ring
from scoring.engine.locks import Work
from scoring.models import Run

# An asker speaks to the database ten times a second. One that is silent for so long is stopped or stuck.
FROZEN_SECONDS = 90.0

logger = logging.getLogger(__name__)


def sweep(ring: Ring) -> None:
    """Move every run to the stage it is at, and wake whoever is missing."""
    if locks.break_frozen(Work.ASKING, FROZEN_SECONDS):
        logger.error("An asker was frozen; its endpoint is free again.")
    for run_id in Run.objects.filter(state__in=Run.UNDER_WAY).values_list("pk", flat=True):
        _advance(run_id)
    silent = set(workers.silent_queues())
    for bell in [*_asking(), *_scoring(), *(Bell("probe", endpoint) for endpoint in blockades.take_due())]:
        if QUEUES[bell.task] not in silent:
            ring(bell)


def _advance(run_id: int) -> None:
    try:
        runs.advance(run_id)
    except locks.LOST:
        raise
    except Exception:  # Whatever is wrong with one run must not stop the others.
        logger.exception("The run cannot be moved on", extra={"run": run_id})


def _asking() -> list[Bell]:
    """Find the endpoints where something waits and nobody asks."""
    with connection.cursor() as cursor:
        cursor.execute(_WAITING)
        waiting = {(task, endpoint) for task, endpoint in cursor.fetchall()}
    busy = locks.holders(Work.ASKING)
    return [Bell(task, endpoint) for task, endpoint in sorted(waiting) if endpoint not in busy]


def _scoring() -> list[Bell]:
    """Find the runs with answers that nobody scores; those that wait for a sibling are rung for in vain."""
    busy = locks.holders(Work.SCORING)
    stages = (Run.State.RUNNING, Run.State.JUDGING, Run.State.SCORING)
    candidates = Run.objects.filter(state__in=stages).exclude(pk__in=busy)
    return [Bell("score", run.pk) for run in candidates if scorings.unscored(run).exists()]


_WAITING = """
SELECT DISTINCT 'ask', run.endpoint_id FROM scoring_run AS run
WHERE run.state IN ('queued', 'running') AND EXISTS (
    SELECT FROM scoring_response AS r
    WHERE r.run_id = run.id AND r.state IN ('waiting', 'asking')
        AND (r.not_before IS NULL OR r.not_before <= now())
)
UNION
SELECT DISTINCT 'judge', run.judge_id FROM scoring_run AS run
WHERE run.state IN ('running', 'judging') AND EXISTS (
    SELECT FROM scoring_verdict AS v
    WHERE v.run_id = run.id AND v.state IN ('waiting', 'asking')
        AND (v.not_before IS NULL OR v.not_before <= now())
)
"""
