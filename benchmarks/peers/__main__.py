"""Every tool at 100 and at 200 requests in flight goes in; their efficiency beside the portal's comes out.

Efficiency is ideal time / wall time, and ideal time is requests x latency / requests in flight. The portal
is timed from the start of its run to the last answer in its database, and scores elsewhere; a peer from its
first request to its end, with a comparison of strings for a score. The best of three counts, if it is quick.
A tool that is quick itself leaves less room to be ahead of it: how much is told, too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial

from benchmarks import mock_server
from benchmarks.mock_server import Remote
from benchmarks.peers import inspect_ai, lm_eval, portal, promptfoo, timing
from benchmarks.peers.prompts import LATENCY, REQUESTS
from benchmarks.peers.timing import Peer, PeerError
from benchmarks.table import Row, print_table

IN_FLIGHT = (100, 200)
PEERS: tuple[Peer, ...] = (inspect_ai, lm_eval, promptfoo)
AHEAD = {"inspect-ai": 4.0}


def main() -> int:
    """Measure, print, and say whether the portal was as far ahead as it should be."""
    with mock_server.running("--latency", str(LATENCY)) as mock:
        rows = [row for most in IN_FLIGHT for row in _rows(mock, most)]
    print_table(rows)
    print(f"{REQUESTS:,} requests of {LATENCY * 1000:.0f} ms each; {os.cpu_count()} processors")
    return int(any(row.met is False for row in rows))


def _rows(mock: Remote, most: int) -> list[Row]:
    tools: dict[str, Callable[[], float]] = {"evalportal": lambda: _portal(mock, most)}
    tools |= {peer.NAME: partial(timing.seconds, peer, mock, most) for peer in PEERS}
    found = timing.in_turn(tools, lambda name: _tell(name, most))
    own = found.pop("evalportal")
    if isinstance(own, PeerError):
        raise own
    figure = f"{_ideal(most) / own:.2f} ({own:.1f} s)"
    first = Row(_what("evalportal", most), figure, "", None)
    return [first, *(_row(name, most, took, own) for name, took in found.items())]


def _portal(mock: Remote, most: int) -> float:
    mock.reset()
    took = portal.seconds(mock.url, most)
    timing.check(mock)
    return took


def _row(name: str, most: int, took: float | PeerError, own: float) -> Row:
    what, least = _what(name, most), AHEAD.get(name, 1.0)
    target = f"evalportal ahead {least:.0f} x"
    if isinstance(took, PeerError):
        return Row(what, str(took), target, None)
    possible = took / _ideal(most)  # Nobody can be further ahead than one who loses no time at all.
    figure = f"{1 / possible:.2f} ({took:.1f} s): evalportal ahead {took / own:.1f} x of {possible:.1f} x"
    return Row(what, figure, target, took / own >= least if possible >= least else None)


def _what(name: str, most: int) -> str:
    return f"{most} in flight: {name}"


def _ideal(most: int) -> float:
    return REQUESTS * LATENCY / most


def _tell(name: str, most: int) -> None:
    load = os.getloadavg()[0]
    print(f"{_what(name, most)} … (load of the machine {load:.1f})", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
