"""A run goes in; whom to wake for it comes out. A bell that is lost costs seconds: the sweep rings again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from scoring.models import Run


class Bell(NamedTuple):
    """Who is woken, and for which endpoint (ask, judge, probe) or run (score)."""

    task: Literal["ask", "judge", "probe", "score"]
    number: int


Ring = Callable[[Bell], object]

QUEUES = {"ask": "inference", "judge": "judging", "probe": "inference", "score": "scoring"}


def silent(bell: Bell) -> None:
    """Ring for nobody: whoever calls does all the work in its own process."""


def of(run: Run) -> list[Bell]:
    """List all who may have something to do for a run as it stands."""
    bells = []
    if run.state in {Run.State.QUEUED, Run.State.RUNNING}:
        bells.append(Bell("ask", run.endpoint_id))
    if run.state in {Run.State.RUNNING, Run.State.JUDGING} and run.judge_id:
        bells.append(Bell("judge", run.judge_id))
    if run.state in {Run.State.RUNNING, Run.State.JUDGING, Run.State.SCORING}:
        bells.append(Bell("score", run.pk))
    return bells
