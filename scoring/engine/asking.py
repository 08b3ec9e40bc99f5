"""An endpoint goes in; all that waits to be asked there comes out answered, put off or failed.

One asker at a time serves an endpoint, for all runs and all workers together: it holds the endpoint's lock
in the database, and writes through the very session that holds it. So an endpoint's maximum is never
exceeded, and whatever a dead asker left behind can be taken up at once by the next one. When the database
goes away, the asker keeps what has been answered, sends nothing more, and takes its lock again afterwards.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable
from threading import Event
from time import monotonic
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import connection

from scoring import endpoints, responses, runs, verdicts
from scoring.engine import blockades, claims, locks
from scoring.engine.bells import Bell, Ring
from scoring.engine.claims import Trouble
from scoring.engine.locks import Seat, Session, Work
from scoring.engine.pace import backoff
from scoring.engine.slots import Job, Lane, Outcome, Slots
from scoring.gateway_contract import GatewayError
from scoring.models import Endpoint, Run

TICK_SECONDS, SHORTEST_TICK_SECONDS = 0.1, 0.02
# How long it may take until somebody's Pause or Cancel is noticed.
LOOK_SECONDS = 0.2
CHORE_SECONDS = 1.0
# A turn ends when another endpoint may be waiting for this process, long before it costs throughput.
TURN_SECONDS = 300.0
# Who is told to stop waits so long for what is in flight.
STOPPING_SECONDS = 5.0
# Whatever becomes due sooner than this is waited for; the sweep calls somebody for what is due later.
LINGER_SECONDS = 3.0
# Prompts claimed beyond those in flight, so that no slot ever waits for the database.
AHEAD = 48
# So many faults in a row, without an answer between, and the endpoint itself is tried.
SUSPICIOUS = 5
RATE_LIMITED_TRIES = 10
# So long answers are kept for a database that is away, and so often it is tried.
PATIENCE_SECONDS, RETRY_SECONDS = 600.0, 0.1

logger = logging.getLogger(__name__)


DESKS: dict[str, Any] = {"response": responses, "verdict": verdicts}

# The endpoints that a thread of this process serves, with or without a database at the moment.
_served_here: set[int] = set()


def serve(endpoint_id: int, *, ring: Ring, stopping: Event | None = None) -> bool:
    """Ask all that waits at an endpoint; False if somebody else is asking there already."""
    if endpoint_id in _served_here:
        return False
    endpoint = Endpoint.objects.get(pk=endpoint_id)
    with Seat(Work.ASKING, endpoint_id, f"asker of endpoint {endpoint_id}") as seat:
        if not seat.take():
            return False
        _served_here.add(endpoint_id)
        try:
            with Slots(endpoints.gateway(endpoint), endpoint.max_concurrency) as slots:
                left = _Asker(endpoint, seat, slots, ring, stopping or Event()).work()
        finally:
            _served_here.discard(endpoint_id)
    # The lock is free before anyone is woken: otherwise they would find it taken, and leave.
    if left:
        ring(Bell("ask", endpoint_id))
    return True


class _Asker:
    """One turn at an endpoint."""

    def __init__(self, endpoint: Endpoint, seat: Seat, slots: Slots, ring: Ring, stopping: Event) -> None:
        self._id = uuid4()
        self._endpoint, self._seat, self._slots = endpoint, seat, slots
        self._ring, self._stopping = ring, stopping
        self._identity = endpoints.identity(endpoint)
        self._lanes: dict[Lane, Run] = {}
        self._dry: set[Lane] = set()
        self._unsettled: list[Outcome] = []
        self._suspects: list[Outcome] = []
        self._stored: set[int] = set()
        self._served: set[int] = set()
        self._look_at = self._chores_at = 0.0
        self._leaving = False
        self._grace = 0.0

    @property
    def _session(self) -> Session:
        return self._seat.session

    def work(self) -> bool:
        """Ask until nothing waits, or the turn is over; say whether something is left to do."""
        end = monotonic() + TURN_SECONDS
        self._recover()
        while True:
            try:
                return self._work(end)
            except locks.LOST as error:
                self._outlast(error)

    def _work(self, end: float) -> bool:
        while not self._finished(end):
            self._settle()
            if monotonic() >= self._look_at:
                self._look()
            claimed = 0 if self._leaving else self._fill()
            if monotonic() >= self._chores_at:
                self._chores()
            self._rest(claimed)
        self._settle()
        self._chores()
        return self._leave()

    def _outlast(self, error: Exception) -> None:
        """Wait until the database is back, and store what was answered meanwhile; give up with the error."""
        logger.warning("Answers wait for the database: %s", error, extra={"endpoint": self._endpoint.pk})
        deadline = monotonic() + PATIENCE_SECONDS
        with self._slots.quiet():
            while not self._is_back():
                if self._is_replaced() or monotonic() > deadline or self._stopping.wait(RETRY_SECONDS):
                    raise error

    def _is_back(self) -> bool:
        try:
            connection.close()
            if not self._seat.take():
                return False
            self._recover()
            self._settle()
        except locks.LOST:
            return False
        return True

    def _is_replaced(self) -> bool:
        """Say whether another asker has taken up what this one held: its answers are wanted no more."""
        ids = list(self._served)
        try:
            return not any(claims.holds(self._session, desk.TABLE, ids, self._id) for desk in DESKS.values())
        except locks.LOST:
            return False

    def _finished(self, end: float) -> bool:
        """Say whether it is time to go: all is done, or the turn is over and nothing is in flight."""
        if not self._leaving and (self._stopping.is_set() or monotonic() > end):
            self._leaving = True
            self._grace = monotonic() + STOPPING_SECONDS
        if self._stopping.is_set() and monotonic() > self._grace:
            return True
        if self._suspects or not self._slots.idle():
            return False
        if not self._leaving:
            self._look()  # Whoever was started a moment ago was told that somebody is at work here.
        return self._leaving or not self._due_soon()

    def _leave(self) -> bool:
        """Give back what is still held; say whether somebody should come after us."""
        for desk in DESKS.values():
            claims.release_all(self._session, desk.TABLE, self._id, list(self._served))
        return self._leaving and not self._stopping.is_set()

    def _rest(self, claimed: int) -> None:
        """Wait for the next tick, for an empty queue that can be filled, or for the last answer."""
        if claimed:
            self._slots.woken.wait(SHORTEST_TICK_SECONDS)
        elif all(lane in self._dry for lane in self._lanes):
            self._slots.landed.wait(TICK_SECONDS)
        else:
            self._slots.woken.wait(TICK_SECONDS)

    def _recover(self) -> None:
        """Take up what dead askers left behind."""
        served = [lane for lane, _ in self._wanted()]
        for kind, desk in DESKS.items():
            ids = [lane.run for lane in served if lane.kind == kind]
            if count := claims.recover(self._session, desk.TABLE, ids, self._id, self._held(kind)):
                logger.warning(
                    "Taken up after a dead asker: %s", count, extra={"endpoint": self._endpoint.pk}
                )

    def _held(self, kind: str) -> list[int]:
        """List the rows whose prompts or answers this asker has at hand."""
        known = (*self._unsettled, *self._suspects)
        return [outcome.job.row for outcome in known if outcome.job.lane.kind == kind] + self._slots.held(
            kind
        )

    def _wanted(self) -> list[tuple[Lane, str]]:
        """List the lanes that the endpoint has to serve now."""
        rows = self._session.execute(_WANTED, {"endpoint": self._endpoint.pk}).fetchall()
        return [(Lane(kind, run), state) for kind, run, state in rows]

    def _look(self) -> None:
        """Find out what has been started, paused or cancelled, and follow."""
        self._look_at = monotonic() + LOOK_SECONDS
        wanted = {} if self._leaving else dict(self._wanted())
        for lane in set(self._lanes) - set(wanted):
            self._drop(lane)
        for lane, state in wanted.items():
            if state == Run.State.QUEUED and lane.kind == "response":
                runs.begin(lane.run)
            if lane not in self._lanes:
                self._lanes[lane] = runs.get(lane.run)
                self._served.add(lane.run)

    def _drop(self, lane: Lane) -> None:
        """Stop serving a lane: what is in flight is still awaited, unless the run is cancelled."""
        state = Run.objects.filter(pk=lane.run).values_list("state", flat=True).first()
        cancelled = state in {None, Run.State.CANCELLED}
        jobs = self._slots.abort(lane) if cancelled else self._slots.withdraw(lane)
        self._release(jobs)
        del self._lanes[lane]
        self._dry.discard(lane)

    def _fill(self) -> int:
        """Claim more for every lane that runs low, each its share."""
        share = -(-(self._endpoint.max_concurrency + AHEAD) // max(1, len(self._lanes)))
        return sum(self._claim(lane, share) for lane in list(self._lanes))

    def _claim(self, lane: Lane, share: int) -> int:
        queued = self._slots.queued(lane)
        if queued > share // 2 or lane in self._dry:
            return 0
        run = self._lanes[lane]
        try:
            claimed = DESKS[lane.kind].claim(self._session, run, self._id, share - queued)
        except GatewayError as error:  # The key is not there, or the parameters make no sense.
            self._block([lane.run], error.message, by_itself=error.kind != "bad_parameters")
            return 0
        if not claimed.rows:
            self._dry.add(lane)
        if len(claimed.jobs) < claimed.rows:
            self._stored.add(lane.run)
        self._slots.give(claimed.jobs)
        return int(claimed.rows)

    def _settle(self) -> None:
        """Store what came back, and deal with what went wrong; whatever fails here is done over."""
        self._unsettled += self._slots.take()
        self._settle_these(self._unsettled)
        self._unsettled = []

    def _settle_these(self, outcomes: list[Outcome]) -> None:
        answered = [outcome for outcome in outcomes if outcome.reply]
        self._store(answered)
        troubled = [outcome for outcome in outcomes if outcome.error]
        # Whoever paused the run does not want its cases to fail meanwhile.
        self._release(outcome.job for outcome in troubled if outcome.job.lane not in self._lanes)
        troubled = [outcome for outcome in troubled if outcome.job.lane in self._lanes]
        faults = [outcome for outcome in troubled if _suspicious(outcome)]
        self._punish([outcome for outcome in troubled if not _suspicious(outcome)])
        self._suspects += faults
        if answered:
            passing = [outcome for outcome in self._suspects if not _certain(outcome)]
            self._suspects = [outcome for outcome in self._suspects if _certain(outcome)]
            self._punish(passing)
        self._suspect()

    def _store(self, answered: list[Outcome]) -> None:
        for kind, desk in DESKS.items():
            own = [outcome for outcome in answered if outcome.job.lane.kind == kind]
            if own:
                desk.store(self._session, self._id, own)
                self._stored |= {outcome.job.lane.run for outcome in own}

    def _suspect(self) -> None:
        """Try the endpoint itself when faults pile up: if it is down, no case is to blame."""
        if not self._suspects:
            return
        certain = [outcome for outcome in self._suspects if _certain(outcome)]
        if not certain and len(self._suspects) < SUSPICIOUS and self._slots.in_flight():
            return
        suspects, self._suspects = self._suspects, []
        outcome = (certain or suspects)[-1]
        assert outcome.error
        if outcome.error.kind == "bad_parameters":
            lanes = {suspect.job.lane.run for suspect in suspects}
            self._release(suspect.job for suspect in suspects)
            return self._block(lanes, outcome.error.message, by_itself=False)
        # A short test, since nobody else is served meanwhile; who tries again later has more patience.
        found = self._slots.probe(outcome.job.target, endpoints.PROBE_SECONDS)
        if found.answers:
            return self._punish(suspects)
        self._release(suspect.job for suspect in suspects)
        reason = f"{self._endpoint.name} does not answer. {outcome.error.message}"
        self._block({lane.run for lane in self._lanes}, reason)

    def _punish(self, troubled: list[Outcome]) -> None:
        """Put off what may succeed later, and fail the rest."""
        later: dict[str, list[Trouble]] = defaultdict(list)
        lost: dict[str, list[Trouble]] = defaultdict(list)
        for job, _, error in troubled:
            assert error
            last = error.permanent or job.attempts + 1 >= _tries(error)
            wait = max(error.retry_after or 0.0, backoff(job.attempts + 1, settings.RETRY_FIRST_SECONDS))
            trouble = Trouble(job.row, error.kind, error.message, wait)
            (lost if last else later)[job.lane.kind].append(trouble)
            _log(job, error, last=last)
        for kind, desk in DESKS.items():
            if later[kind]:
                claims.postpone(self._session, desk.TABLE, self._id, later[kind])
            if lost[kind]:
                claims.fail(self._session, desk.TABLE, self._id, lost[kind])

    def _release(self, jobs: Iterable[Job]) -> None:
        rows: dict[str, list[int]] = defaultdict(list)
        for job in jobs:
            rows[job.lane.kind].append(job.row)
        for kind, ids in rows.items():
            claims.release(self._session, DESKS[kind].TABLE, self._id, ids)

    def _block(self, run_ids: Iterable[int], reason: str, *, by_itself: bool = True) -> None:
        blockades.block(set(run_ids), self._endpoint, reason, by_itself=by_itself)
        self._look()

    def _chores(self) -> None:
        """See to what need not happen at every tick: verdicts wanted, scores wanted, runs that go on."""
        self._chores_at = monotonic() + CHORE_SECONDS
        stored, self._stored = self._stored, set()
        blockades.answered(stored)
        for run_id in stored:
            self._pass_on(run_id)
        for lane in list(self._lanes):
            if not self._slots.busy(lane) and self._due_in(lane) is None:
                runs.advance(lane.run)
        self._dry.clear()
        self._follow()

    def _pass_on(self, run_id: int) -> None:
        run = self._lanes.get(Lane("response", run_id)) or runs.get(run_id)
        if verdicts.request(self._session, run) and run.judge_id not in {None, self._endpoint.pk}:
            self._ring(Bell("judge", run.judge_id))
        self._ring(Bell("score", run_id))

    def _due_in(self, lane: Lane) -> float | None:
        return claims.next_due(self._session, DESKS[lane.kind].TABLE, lane.run)

    def _due_soon(self) -> bool:
        waits = [self._due_in(lane) for lane in self._lanes]
        return any(wait is not None and wait <= LINGER_SECONDS for wait in waits)

    def _follow(self) -> None:
        """Follow the endpoint's maximum; if it has become another place, leave it to the next asker."""
        fresh = Endpoint.objects.filter(pk=self._endpoint.pk).first()
        if fresh is None or endpoints.identity(fresh) != self._identity:
            self._leaving = True
        else:
            self._endpoint.max_concurrency = fresh.max_concurrency
            self._slots.resize(fresh.max_concurrency)


def _suspicious(outcome: Outcome) -> bool:
    """Say whether the fault may be the endpoint's, and not the case's."""
    error = outcome.error
    return error is not None and (error.of_endpoint or error.kind in {"timeout", "server_error"})


def _certain(outcome: Outcome) -> bool:
    """Say whether asking again would be useless until somebody sees to the endpoint."""
    return outcome.error is not None and outcome.error.permanent


def _log(job: Job, error: GatewayError, *, last: bool) -> None:
    logger.log(
        logging.WARNING if last else logging.INFO,
        "Failed: %s" if last else "To be asked again: %s",
        error.message,
        extra={"run": job.lane.run, "case": job.prompt.case_key, "kind": error.kind},
    )


def _tries(error: GatewayError) -> int:
    # A server that is busy says so to everyone; that says little against the case.
    return max(settings.RETRY_TRIES, RATE_LIMITED_TRIES if error.kind == "rate_limited" else 0)


_WANTED = """
SELECT 'response', id, state FROM scoring_run
WHERE endpoint_id = %(endpoint)s AND state IN ('queued', 'running')
UNION ALL
SELECT 'verdict', id, state FROM scoring_run
WHERE judge_id = %(endpoint)s AND state IN ('queued', 'running', 'judging')
"""
