"""Every tool at 100 and at 200 requests in flight goes in; their efficiency beside the portal's comes out.

Efficiency is ideal time / wall time, and ideal time is requests x latency / requests in flight. The portal
is timed from the start of its run to the last answer in its database, and scores elsewhere; a peer from its
first request to its end, with a comparison of strings for a score. The best of three counts, if it is quick.
"""

from __future__ import annotations

import os
import sys

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
    own = timing.best(lambda: _portal(mock, most))
    figure = f"{_ideal(most) / own:.2f} ({own:.1f} s)"
    return [
        Row(_what("evalportal", most), figure, "", None),
        *(_row(peer, mock, most, own) for peer in PEERS),
    ]


def _portal(mock: Remote, most: int) -> float:
    _tell("evalportal", most)
    mock.reset()
    took = portal.seconds(mock.url, most)
    timing.check(mock)
    return took


def _row(peer: Peer, mock: Remote, most: int, own: float) -> Row:
    what, least = _what(peer.NAME, most), AHEAD.get(peer.NAME, 1.0)
    target = f"evalportal ahead {least:.0f} x"
    try:
        took = timing.best(lambda: _peer(peer, mock, most))
    except PeerError as error:
        return Row(what, str(error), target, None)
    figure = f"{_ideal(most) / took:.2f} ({took:.1f} s): evalportal ahead {took / own:.1f} x"
    return Row(what, figure, target, took / own >= least)


def _peer(peer: Peer, mock: Remote, most: int) -> float:
    _tell(peer.NAME, most)
    return timing.seconds(peer, mock, most)


def _what(name: str, most: int) -> str:
    return f"{most} in flight: {name}"


def _ideal(most: int) -> float:
    return REQUESTS * LATENCY / most


def _tell(name: str, most: int) -> None:
    load = os.getloadavg()[0]
    print(f"{_what(name, most)} … (load of the machine {load:.1f})", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
