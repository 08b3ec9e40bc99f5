"""A run goes in; it comes out finished, all of it done in this process, without a broker."""

from __future__ import annotations

from threading import Event

from scoring import runs, scores
from scoring.engine import asking, bells, blockades
from scoring.models import Run

# How long to wait when somebody else is at work on the run, or nothing is due yet.
PAUSE_SECONDS = 0.2


def drive(run_id: int, stopping: Event) -> None:
    """Do all that workers would do for a run, by the very same steps, until it ends or is paused by hand."""
    while not stopping.is_set():
        run = runs.get(run_id)
        if run.state == Run.State.PAUSED and run.paused_by_portal and run.blocked_by:
            stopping.wait(asking.LINGER_SECONDS)
            blockades.probe(run.blocked_by)
        elif run.state not in Run.UNDER_WAY:
            return
        else:
            _step(run, stopping)


def _step(run: Run, stopping: Event) -> None:
    if run.state in {Run.State.QUEUED, Run.State.RUNNING}:
        asking.serve(run.endpoint_id, ring=bells.silent, stopping=stopping)
    if run.judge_id and not stopping.is_set():
        asking.serve(run.judge_id, ring=bells.silent, stopping=stopping)
    if not stopping.is_set():
        scores.score(run.pk, ring=bells.silent, stopping=stopping)
        runs.advance(run.pk)
        stopping.wait(PAUSE_SECONDS)
