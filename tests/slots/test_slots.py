"""Requests in flight: never more than allowed, lanes in turn, what is withdrawn, aborted and refused."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from scoring.engine.pace import Pace, backoff
from scoring.engine.slots import Job, Lane, Outcome, Slots
from scoring.gateway_contract import GatewayError, Probe, Prompt, Reply, Target

FIRST, SECOND = Lane("response", 1), Lane("response", 2)


class Script:
    """A gateway that answers as it is told, and counts."""

    def __init__(self, seconds: float = 0.01) -> None:
        self.seconds = seconds
        self.flying = self.most = self.opened = self.closed = 0
        self.order: list[int] = []
        self.errors: dict[str, list[Exception]] = {}

    def client(self, target: Target) -> Any:
        self.opened += 1
        return SimpleNamespace(aclose=self._close)

    async def _close(self) -> None:
        self.closed += 1

    async def ask(self, client: Any, target: Target, prompt: Prompt) -> Reply:
        self.flying += 1
        self.most = max(self.most, self.flying)
        self.order.append(int(prompt.messages[0]["content"]))
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.flying -= 1
        if waiting := self.errors.get(prompt.case_key):
            raise waiting.pop()
        return Reply("Yes.", self.seconds)

    async def probe(self, client: Any, target: Target) -> Probe:
        return Probe(reachable=True, answers=True, message="It answers.")


def job(lane: Lane, row: int, key: str = "") -> Job:
    return Job(lane, row, Target("model"), Prompt([{"role": "user", "content": str(row)}], case_key=key))


def collect(slots: Slots, count: int) -> list[Outcome]:
    found: list[Outcome] = []
    deadline = time.monotonic() + 10
    while len(found) < count and time.monotonic() < deadline:
        found += slots.take()
        time.sleep(0.005)
    return found


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def opened(script: Script) -> Iterator[Callable[[int], Slots]]:
    made: list[Slots] = []

    def make(most: int) -> Slots:
        made.append(Slots(script, most).__enter__())  # type: ignore[arg-type]
        return made[-1]

    yield make
    for slots in made:
        slots.__exit__(None, None, None)


def test_it_asks_everything_once_with_as_many_in_flight_as_allowed(
    script: Script, opened: Callable[[int], Slots]
) -> None:
    slots = opened(4)
    slots.give(job(FIRST, row) for row in range(30))
    found = collect(slots, 30)
    assert sorted(outcome.job.row for outcome in found) == list(range(30))
    assert (script.most, script.opened) == (4, 4)
    assert slots.idle()


def test_it_lets_lanes_take_turns(script: Script, opened: Callable[[int], Slots]) -> None:
    slots = opened(1)
    slots.give([job(FIRST, row) for row in range(6)] + [job(SECOND, row) for row in range(100, 103)])
    collect(slots, 9)
    assert script.order[:6] in ([0, 100, 1, 101, 2, 102], [0, 1, 100, 2, 101, 3])


def test_it_gives_back_what_it_has_not_asked(script: Script, opened: Callable[[int], Slots]) -> None:
    script.seconds = 0.2
    slots = opened(2)
    slots.give(job(FIRST, row) for row in range(5))
    time.sleep(0.05)
    assert [one.row for one in slots.withdraw(FIRST)] == [2, 3, 4]
    assert len(collect(slots, 2)) == 2


def test_it_breaks_off_what_is_aborted_and_keeps_the_rest(
    script: Script, opened: Callable[[int], Slots]
) -> None:
    script.seconds = 0.3
    slots = opened(4)
    slots.give([job(FIRST, 1), job(SECOND, 2), job(FIRST, 3)])
    time.sleep(0.05)
    assert {one.row for one in slots.abort(FIRST)} == {1, 3}
    assert [outcome.job.row for outcome in collect(slots, 1)] == [2]
    assert slots.idle()


def test_it_tells_errors_of_every_kind(script: Script, opened: Callable[[int], Slots]) -> None:
    script.errors = {"known": [GatewayError("refused", "No.")], "unknown": [ZeroDivisionError("oops")]}
    slots = opened(2)
    slots.give([job(FIRST, 1, "known"), job(FIRST, 2, "unknown")])
    kinds = Counter(outcome.error.kind for outcome in collect(slots, 2) if outcome.error)
    assert kinds == {"refused": 1, "bad_reply": 1}


def test_it_holds_back_when_the_server_is_asked_too_much(
    script: Script, opened: Callable[[int], Slots]
) -> None:
    refusal = GatewayError("rate_limited", "Slow down.", permanent=False, retry_after=0.3)
    script.errors = {"refused": [refusal]}
    slots = opened(1)
    slots.give([job(FIRST, 1, "refused"), job(FIRST, 2)])
    started = time.monotonic()
    collect(slots, 2)
    assert time.monotonic() - started > 0.3


def test_it_follows_a_new_maximum(script: Script, opened: Callable[[int], Slots]) -> None:
    slots = opened(1)
    slots.resize(5)
    slots.give(job(FIRST, row) for row in range(20))
    collect(slots, 20)
    assert script.most == 5


def test_it_sends_no_more_than_the_gateway_has_places(
    script: Script, opened: Callable[[int], Slots], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Script, "MOST_IN_FLIGHT", 2, raising=False)
    slots = opened(4)
    slots.resize(5)
    slots.give(job(FIRST, row) for row in range(6))
    collect(slots, 6)
    assert script.most == 2


@pytest.mark.parametrize(("keeps_time", "kinds"), [(False, ["timeout"]), (True, [])])
def test_it_leaves_the_time_to_a_gateway_that_keeps_it(
    keeps_time: bool,
    kinds: list[str],
    script: Script,
    opened: Callable[[int], Slots],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scoring.engine.slots._GRACE_SECONDS", 0.0)
    monkeypatch.setattr(Script, "KEEPS_TIME", keeps_time, raising=False)
    script.seconds = 0.3
    slots = opened(1)
    slots.give([Job(FIRST, 1, Target("model", timeout_seconds=0.1), job(FIRST, 1).prompt)])
    assert [outcome.error.kind for outcome in collect(slots, 1) if outcome.error] == kinds


def test_it_closes_its_connections_and_breaks_off_the_rest(script: Script) -> None:
    script.seconds = 60
    with Slots(script, 3) as slots:  # type: ignore[arg-type]
        slots.give(job(FIRST, row) for row in range(3))
        time.sleep(0.05)
    assert (script.opened, script.closed, script.flying) == (3, 3, 0)


def test_it_probes_beside_what_is_in_flight(script: Script, opened: Callable[[int], Slots]) -> None:
    slots = opened(1)
    assert slots.probe(Target("model"), 5).answers


def test_it_sends_nothing_while_it_is_quiet_and_knows_what_it_holds(
    script: Script, opened: Callable[[int], Slots]
) -> None:
    slots = opened(2)
    with slots.quiet():
        slots.give(job(FIRST, row) for row in range(3))
        assert slots.probe(Target("model"), 5).answers
        time.sleep(0.05)
        assert (script.order, slots.held("response"), slots.held("verdict")) == ([], [0, 1, 2], [])
    assert len(collect(slots, 3)) == 3
    assert slots.held("response") == []


def test_it_allows_half_after_a_refusal_and_grows_again() -> None:
    pace = Pace(8)
    pace.refused(0)
    pace.refused(0)
    assert pace.allowed() == 4
    for _ in range(200):
        pace.answered()
    assert pace.allowed() == 8


def test_it_never_allows_less_than_one() -> None:
    pace = Pace(2)
    for _ in range(5):
        pace.refused(0)
        time.sleep(0.11)
    assert pace.allowed() == 1


def test_it_waits_longer_each_time_but_never_for_ever() -> None:
    waits = [backoff(attempt) for attempt in range(1, 40)]
    assert 0.5 <= waits[0] <= 1
    assert 8 <= waits[4] <= 16
    assert max(waits) <= 60
