"""A run goes in; it comes out started, paused, resumed, cancelled, asked again, scored again, or a step on.

The database is the truth about how far a run is. Every change of state happens under the lock of its row,
so that people, workers and the sweep may all press at once.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from django.db import connection, transaction
from django.db.models import Count, Q
from django.db.models.functions import Now

from scoring import benchmarks, questions, reports, scorings, verdicts
from scoring.models import Response, Run, Score, Scoring, Verdict

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser

    from scoring.engine.locks import Session

State = Run.State
_OPEN = (Response.State.WAITING, Response.State.ASKING)
# What may be pressed in which states; pages offer just that.
ALLOWED: Mapping[str, frozenset[str]] = {
    "start": frozenset({State.DRAFT}),
    "delete": frozenset({State.DRAFT}),
    # A run that the portal has paused goes on by itself, unless it is paused by hand as well.
    "pause": Run.UNDER_WAY | {State.PAUSED},
    "resume": frozenset({State.PAUSED}),
    "cancel": frozenset(State) - Run.ENDED - {State.DRAFT},
    "retry": frozenset(State) - {State.DRAFT, State.CANCELLED},
    "rescore": frozenset({State.SCORING, State.AWAITING_REVIEW, State.FINAL}),
}
_CONFIGURATION = (
    "name", "version", "endpoint", "judge", "base", "phase", "threshold", "benchmarks", "test_ids",
    "parameters", "samples", "noise_levels", "judge_votes", "seed", "use_cache", "reviewers",
    "validation_share",
)  # fmt: skip
_WITH = ("version__dataset", "endpoint", "judge", "base")

logger = logging.getLogger(__name__)


class RunStateError(Exception):
    """The run cannot do that in its state; the message says so in plain words."""


def get(run_id: int) -> Run:
    """Read a run with all that its steps look at."""
    return Run.objects.select_related(*_WITH).get(pk=run_id)


def start(run: Run) -> None:
    """Make one row for every answer that the run wants, and put it into the queue."""
    with _held(run, ALLOWED["start"], "Only a draft can be started.") as held:
        if not questions.make(held):
            raise RunStateError("No case matches: choose other benchmarks or test ids.")
        verdicts.pin_rubric(held)
        move(held, State.QUEUED)
    run.refresh_from_db()


def delete(run: Run) -> None:
    """Remove a draft; whatever was once started stays on record."""
    with _held(run, ALLOWED["delete"], "Only a draft can be deleted.") as held:
        held.delete()


def begin(run_id: int) -> None:
    """Take note that a worker has taken the run up."""
    waiting = Run.objects.filter(pk=run_id, state=State.QUEUED)
    if waiting.update(state=State.RUNNING, started_at=Now()):
        logger.info("The run has begun", extra={"run": run_id})


def pause(run: Run) -> None:
    """Send nothing more; what is in flight is still stored."""
    with _held(run, ALLOWED["pause"], "Only a run that is under way can be paused.") as held:
        _forget_blockade(held)
        move(held, State.PAUSED, "Paused by hand.")
    run.refresh_from_db()


def resume(run: Run) -> None:
    """Go on where the run stood."""
    with _held(run, ALLOWED["resume"], "Only a paused run can be resumed.") as held:
        _forget_blockade(held)
        move(held, State.RUNNING if held.started_at else State.QUEUED)
    advance(run.pk)
    run.refresh_from_db()


def cancel(run: Run) -> None:
    """Stop for good; what is in flight is dropped, what was answered stays."""
    with _held(run, ALLOWED["cancel"], "Only a run that has begun and not ended can be cancelled.") as held:
        _forget_blockade(held)
        held.finished_at = cast(Any, Now())
        move(held, State.CANCELLED, "Cancelled by hand.")
    run.refresh_from_db()


def retry_failed(run: Run) -> int:
    """Ask again what failed, answers and verdicts, and nothing else; say how many."""
    with _held(run, ALLOWED["retry"], "There is nothing to retry in such a run.") as held:
        count = _retry(held)
        if not count:
            raise RunStateError("Nothing has failed in this run.")
        if held.state != State.PAUSED:
            held.answered_at = held.finished_at = held.reviewed_at = None
            move(held, State.RUNNING)
    run.refresh_from_db()
    return count


def rescore(run: Run) -> Scoring:
    """Score all answers anew by the metrics as they are now; the scores of before stay as they are."""
    with _held(run, ALLOWED["rescore"], "A run can be scored again once it has its answers.") as held:
        scoring = scorings.open_another(held)
        held.finished_at = None
        move(held, State.SCORING)
    run.refresh_from_db()
    return scoring


def again(run: Run, person: AbstractBaseUser | None = None, *, anew: bool = False) -> Run:
    """Draft a run of the same configuration; `anew`: no answer of an earlier run is taken for this one's."""
    fields = {name: getattr(run, name) for name in _CONFIGURATION}
    if anew:
        fields["use_cache"] = False
    return Run.objects.create(**fields, created_by=cast(Any, person))


def conclude_review(run: Run) -> None:
    """Take note that people have marked all they had to: the run is final."""
    with _held(run, {State.AWAITING_REVIEW}, "Only a run that awaits review can be concluded.") as held:
        held.reviewed_at = cast(Any, Now())
        held.summary = reports.summarise(held)
        move(held, State.FINAL)
    run.refresh_from_db()


def advance(run_id: int) -> str:
    """Move a run to the stage that its rows are at, and say which; anyone may call it at any time."""
    with transaction.atomic():
        run = hold(run_id)
        if run.state not in Run.UNDER_WAY:
            return run.state
        stage = _stage(run)
        if stage != run.state:
            _enter(run, stage)
        return stage


def hold(run_id: int) -> Run:
    """Read a run and keep its row until the transaction ends; others may still add rows that belong to it."""
    return Run.objects.select_for_update(of=("self",), no_key=True).select_related(*_WITH).get(pk=run_id)


def move(run: Run, state: str, reason: str = "") -> None:
    """Change the state of a run whose row is held."""
    logger.info("The run is %s", state, extra={"run": run.pk, "state": state, "was": run.state})
    run.state, run.reason = state, reason
    run.save()


@contextmanager
def _held(run: Run, allowed: Collection[str], otherwise: str) -> Iterator[Run]:
    with transaction.atomic():
        held = hold(run.pk)
        if held.state not in allowed:
            raise RunStateError(f"{otherwise} This one is {State(held.state).label.lower()}.")
        yield held


def _stage(run: Run) -> str:
    if run.responses.filter(state__in=_OPEN).exists():
        return run.state if run.state == State.QUEUED else State.RUNNING
    if not run.responses.filter(state=Response.State.DONE).exists():
        return State.FAILED
    verdicts.request(cast("Session", connection.connection), run)
    if run.verdicts.filter(state__in=_OPEN).exists():
        return State.JUDGING
    if scorings.unscored(run).exists():
        return State.SCORING
    return State.AWAITING_REVIEW if run.reviewed_at is None and _needs_people(run) else State.FINAL


def _enter(run: Run, stage: str) -> None:
    run.started_at = run.started_at or cast(Any, Now())
    if run.answered_at is None and stage != State.RUNNING:
        run.answered_at = cast(Any, Now())
    if stage in {State.AWAITING_REVIEW, State.FINAL, State.FAILED}:
        run.finished_at = cast(Any, Now())
        scorings.close(run)
        run.summary = reports.summarise(run)
    move(run, stage, _why_failed(run) if stage == State.FAILED else "")


def _needs_people(run: Run) -> bool:
    known = benchmarks.known(run.version.dataset.suite)
    codes = [code for code, one in known.items() if one.route in {"tier2", "tier3"}]
    return run.responses.filter(state=Response.State.DONE, case__benchmark__in=codes).exists()


def _why_failed(run: Run) -> str:
    kinds = run.responses.order_by().values_list("error_kind").annotate(count=Count("id"))
    first = run.responses.exclude(error="").values_list("error", flat=True).first()
    listed = ", ".join(f"{kind or 'unknown'}: {count}" for kind, count in kinds.order_by("-count"))
    return f"Not one question was answered ({listed}). The first error: {first or 'none was given'}"


def _retry(run: Run) -> int:
    failed = run.responses.filter(state=Response.State.FAILED)
    doubtful = run.verdicts.filter(state=Verdict.State.FAILED)
    # What was scored without a sibling or a verdict that may come now is scored anew.
    stale = Q(response__in=doubtful.values("response"))
    if run.samples > 1:
        stale |= Q(response__run=run, response__case__in=failed.values("case"))
    newest = run.scorings.order_by("-number").first()
    Score.objects.filter(stale, scoring=newest).delete()
    fresh: dict[str, Any] = {"attempts": 0, "not_before": None, "error_kind": "", "error": ""}
    waiting = Response.State.WAITING
    return failed.update(state=waiting, **fresh) + doubtful.update(state=waiting, **fresh)


def _forget_blockade(run: Run) -> None:
    run.paused_by_portal, run.blocked_by, run.probe_at, run.probes = False, None, None, 0
