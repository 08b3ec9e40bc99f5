"""A request goes in; its answer comes out, with a note on each optional part that the server refused.

What was refused is remembered for a while, once the server has answered without it: a refusal may have had
another reason, and one bad prompt must not change how the next ones are asked.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import httpx

from scoring.gateway_contract import Target
from scoring.wire import exchange
from scoring.wire.exchange import Exchanged
from scoring.wire.refusals import RefusalError

Body = dict[str, Any]

_REMEMBER_SECONDS = 600.0
_refused: dict[tuple[str, str, str], float] = {}


class Concession(NamedTuple):
    """One way to ask for less: when it makes a difference, how it is made, and what people are told.

    `words` are those by which servers name what they refuse. Of several concessions on the same `field`, the
    last one's note counts.
    """

    name: str
    field: str
    words: re.Pattern[str]
    wanted: Callable[[Body], bool]
    make: Callable[[Body], Any]
    note: str = ""


def without(field: str, words: str, note: str) -> Concession:
    """Make the concession that leaves a field out."""
    return Concession(
        field,
        field,
        re.compile(words, re.IGNORECASE | re.DOTALL),
        lambda body: field in body,
        lambda body: body.pop(field),
        note,
    )


async def post(
    client: httpx.AsyncClient,
    target: Target,
    url: str,
    body: Body,
    concessions: Sequence[Concession],
    *,
    logprobs: int = 0,
) -> tuple[Exchanged, tuple[str, ...]]:
    """Ask; ask again without what is refused and optional; leave out at once what was refused lately."""
    notes: dict[str, str] = {}
    made = [one for one in concessions if _lately(target, one) and _conceded(body, one, notes)]
    while True:
        try:
            exchanged = await exchange.post(client, target, url, body, logprobs=logprobs)
        except RefusalError as error:
            one = next((one for one in concessions if _named(error, one) and one.wanted(body)), None)
            if one is None:
                raise
            _conceded(body, one, notes)
            made.append(one)
        else:
            _remember(target, made)
            return exchanged, tuple(note for note in notes.values() if note)


def _conceded(body: Body, one: Concession, notes: dict[str, str]) -> bool:
    if not one.wanted(body):
        return False
    one.make(body)
    notes[one.field] = one.note
    return True


def _named(error: RefusalError, one: Concession) -> bool:
    refused = error.kind == "refused" and error.status in {400, 422}
    return refused and one.words.search(error.words) is not None


def _lately(target: Target, one: Concession) -> bool:
    when = _refused.get((target.base_url, target.model, one.name))
    return when is not None and time.monotonic() - when < _REMEMBER_SECONDS


def _remember(target: Target, made: Sequence[Concession]) -> None:
    now = time.monotonic()
    for one in made:
        # What is known already keeps its time: some day the server is asked for it again.
        if not _lately(target, one):
            _refused[target.base_url, target.model, one.name] = now
