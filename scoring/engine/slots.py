"""Prompts go in from one thread; replies come out to it, with as many in flight as the server takes."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import sys
import threading
from collections import deque
from collections.abc import Coroutine, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple, Self

from scoring.engine.pace import Pace
from scoring.gateway_contract import Gateway, GatewayError, Probe, Prompt, Reply, Target

# What a gateway may take beyond its target's time before we give the request up ourselves.
_GRACE_SECONDS = 10.0

# The HTTP library tries to import this at every request. Where it is missing, looking for it anew takes a
# third of all the processor's time; a None here is a failure that is remembered.
if importlib.util.find_spec("sniffio") is None:
    sys.modules["sniffio"] = None  # type: ignore[assignment]

logger = logging.getLogger(__name__)


class Lane(NamedTuple):
    """What takes turns with others at an endpoint: the responses or the verdicts of one run."""

    kind: str
    run: int


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One prompt to ask: where it belongs, which row it is, and how often it was asked in vain."""

    lane: Lane
    row: int
    target: Target
    prompt: Prompt
    digest: str = ""
    attempts: int = 0


class Outcome(NamedTuple):
    """What became of a job: a reply or an error."""

    job: Job
    reply: Reply | None = None
    error: GatewayError | None = None


class Slots:
    """The requests in flight at one endpoint, in an event loop of their own; lanes take turns.

    The loop runs in a thread, so that neither the database nor a prompt under construction holds up a reply.
    `woken` is set when there is nothing left to send, `landed` when there is nothing left to wait for.
    """

    def __init__(self, gateway: Gateway, most: int) -> None:
        self.woken, self.landed = threading.Event(), threading.Event()
        self._gateway = gateway
        self._pace = Pace(self._within(most))
        self._guard = threading.Lock()
        self._lanes: dict[Lane, deque[Job]] = {}
        self._turns: deque[Lane] = deque()
        self._flying: dict[Job, asyncio.Task[None]] = {}
        self._outcomes: list[Outcome] = []
        self._idle: list[Any] = []
        self._held_up: asyncio.TimerHandle | None = None
        self._quiet = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="slots", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Break off what is still in flight, and close the connections."""
        with self._guard:
            self._lanes.clear()
        self._wait_for(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def give(self, jobs: Iterable[Job]) -> None:
        """Take jobs in; each is asked as soon as its lane's turn comes and a slot is free."""
        with self._guard:
            for job in jobs:
                if job.lane not in self._lanes:
                    self._lanes[job.lane] = deque()
                    self._turns.append(job.lane)
                self._lanes[job.lane].append(job)
        self._loop.call_soon_threadsafe(self._pump)

    def take(self) -> list[Outcome]:
        """Hand over what has come back since the last time."""
        self.woken.clear()
        self.landed.clear()
        with self._guard:
            outcomes, self._outcomes = self._outcomes, []
        return outcomes

    def withdraw(self, lane: Lane) -> list[Job]:
        """Take back the jobs of a lane that were not asked yet."""
        with self._guard:
            jobs = list(self._lanes.pop(lane, ()))
            if lane in self._turns:
                self._turns.remove(lane)
        return jobs

    def abort(self, lane: Lane) -> list[Job]:
        """Take back all jobs of a lane, breaking off those in flight; none of them will have an outcome."""
        with self._guard:
            flying = {job: task for job, task in self._flying.items() if job.lane == lane}
            for job in flying:
                del self._flying[job]
        for task in flying.values():
            self._loop.call_soon_threadsafe(task.cancel)
        return [*self.withdraw(lane), *flying]

    def resize(self, most: int) -> None:
        """Change how many requests may be in flight."""
        most = self._within(most)
        if most != self._pace.most:
            self._pace.most = most
            self._loop.call_soon_threadsafe(self._pump)

    def queued(self, lane: Lane) -> int:
        """Count the jobs of a lane that were not asked yet."""
        return len(self._lanes.get(lane, ()))

    def busy(self, lane: Lane) -> bool:
        """Say whether anything of a lane is queued or in flight."""
        with self._guard:
            return bool(self._lanes.get(lane)) or any(job.lane == lane for job in self._flying)

    def in_flight(self) -> int:
        """Count the requests that were sent and not answered."""
        return len(self._flying)

    def idle(self) -> bool:
        """Say whether nothing is queued, in flight, or waiting to be taken."""
        with self._guard:
            return not (self._flying or self._outcomes or any(self._lanes.values()))

    def held(self, kind: str) -> list[int]:
        """List the rows that are queued, in flight, or waiting to be taken."""
        with self._guard:
            queued = (job for lane in self._lanes.values() for job in lane)
            landed = (outcome.job for outcome in self._outcomes)
            return [job.row for job in (*queued, *self._flying, *landed) if job.lane.kind == kind]

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Send nothing for a while; what is in flight still comes back."""
        before, self._quiet = self._quiet, True
        try:
            yield
        finally:
            self._quiet = before
            self._loop.call_soon_threadsafe(self._pump)

    def probe(self, target: Target, seconds: float) -> Probe:
        """Find out whether the endpoint answers at all; nothing else is sent meanwhile."""
        with self.quiet():
            found: Probe = self._wait_for(self._probe(target, seconds))
        return found

    def _within(self, most: int) -> int:
        """Send no more than the gateway has places: the time of what waits inside of it would run out."""
        places: int | None = getattr(self._gateway, "MOST_IN_FLIGHT", None)
        return most if places is None else min(most, places)

    def _wait_for(self, work: Coroutine[Any, Any, Any]) -> Any:
        done: Future[Any] = asyncio.run_coroutine_threadsafe(work, self._loop)
        return done.result()

    def _pump(self) -> None:
        """Send as much as may be sent now. It runs in the loop, as all below."""
        if self._quiet:
            return
        if wait := self._pace.wait():
            if self._held_up is None:
                self._held_up = self._loop.call_later(wait + 0.001, self._resume)
            return
        with self._guard:
            while len(self._flying) < self._pace.allowed() and (job := self._next()):
                self._flying[job] = self._loop.create_task(self._ask(job))
            if not any(self._lanes.values()):
                self.woken.set()

    def _resume(self) -> None:
        self._held_up = None
        self._pump()

    def _next(self) -> Job | None:
        for _ in range(len(self._turns)):
            lane = self._turns[0]
            self._turns.rotate(-1)
            if waiting := self._lanes.get(lane):
                return waiting.popleft()
        return None

    async def _ask(self, job: Job) -> None:
        client = None
        try:
            client = self._idle.pop() if self._idle else self._gateway.client(job.target)
            async with asyncio.timeout(self._seconds(job.target)):
                outcome = Outcome(job, reply=await self._gateway.ask(client, job.target, job.prompt))
        except GatewayError as error:
            outcome = Outcome(job, error=error)
        except TimeoutError:
            message = f"No answer within {job.target.timeout_seconds:.0f} s."
            outcome = Outcome(job, error=GatewayError("timeout", message, permanent=False))
        except Exception as error:
            logger.exception("The gateway failed in a way of its own", extra={"case": job.prompt.case_key})
            message = f"The gateway failed: {type(error).__name__}: {error}"
            outcome = Outcome(job, error=GatewayError("bad_reply", message))
        finally:
            if client is not None:
                self._idle.append(client)
        self._land(outcome)

    def _seconds(self, target: Target) -> float | None:
        """Say how long a request may take; a gateway that waits for its own model counts for itself."""
        keeps_time = getattr(self._gateway, "KEEPS_TIME", False)
        return None if keeps_time else target.timeout_seconds + _GRACE_SECONDS

    def _land(self, outcome: Outcome) -> None:
        if outcome.error is None:
            self._pace.answered()
        elif outcome.error.kind == "rate_limited":
            self._pace.refused(outcome.error.retry_after)
        with self._guard:
            if self._flying.pop(outcome.job, None) is not None:
                self._outcomes.append(outcome)
            if not self._flying:
                self.landed.set()
        self._pump()

    async def _probe(self, target: Target, seconds: float) -> Probe:
        client = None
        try:
            async with asyncio.timeout(seconds):
                client = self._gateway.client(target)
                return await self._gateway.probe(client, target)
        except GatewayError as error:
            return Probe(reachable=False, answers=False, message=error.message)
        except TimeoutError:
            return Probe(reachable=False, answers=False, message=f"No answer within {seconds:.0f} s.")
        finally:
            if client is not None:
                await client.aclose()

    async def _close(self) -> None:
        if self._held_up:
            self._held_up.cancel()
        tasks = list(self._flying.values())
        self._flying.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(client.aclose() for client in self._idle), return_exceptions=True)
