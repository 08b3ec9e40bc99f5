"""A run goes in; it comes out finished, all of it done in this process, without a broker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

from django.db import connection

from scoring import runs, scores
from scoring.engine import asking, bells, blockades
from scoring.engine.bells import Bell
from scoring.models import Run

# How long until an end is noticed, and until somebody who heard no bell looks for work.
LOOK_SECONDS, IDLE_SECONDS = 0.1, 1.0

_STEPS: Mapping[str, Callable[..., Any]] = {
    "ask": asking.serve,
    "judge": asking.serve,
    "score": scores.score,
}


def drive(run_id: int, stopping: Event) -> None:
    """Do all that workers would do for a run, by the very same steps, until it ends or is paused by hand.

    Each step has a thread of its own: an endpoint may have other runs to serve when this one is answered.
    """
    over, awake = Event(), {task: Event() for task in _STEPS}
    with ThreadPoolExecutor(len(_STEPS), "local") as crew:
        work = [crew.submit(_work, task, run_id, awake, over) for task in _STEPS]
        try:
            while _goes_on(run_id, stopping) and not any(one.done() for one in work):
                stopping.wait(LOOK_SECONDS)
        finally:
            over.set()
            for bell in awake.values():
                bell.set()
    for one in work:
        one.result()


def _goes_on(run_id: int, stopping: Event) -> bool:
    """Say whether there is anything to wait for; an endpoint that is away is tried now and then."""
    run = runs.get(run_id)
    if run.state != Run.State.PAUSED or not run.paused_by_portal or run.blocked_by is None:
        return run.state in Run.UNDER_WAY and not stopping.is_set()
    if not stopping.wait(asking.LINGER_SECONDS):
        blockades.probe(run.blocked_by)
    return not stopping.is_set()


def _work(task: str, run_id: int, awake: Mapping[str, Event], over: Event) -> None:
    """Take one kind of step for a run, whenever there is one to take, until all is over."""

    def ring(bell: Bell) -> None:
        awake[bell.task].set()

    try:
        while not over.is_set():
            awake[task].clear()
            for bell in bells.of(runs.get(run_id)):
                if bell.task == task:
                    _STEPS[task](bell.number, ring=ring, stopping=over)
            awake[task].wait(IDLE_SECONDS)
    finally:
        connection.close()
