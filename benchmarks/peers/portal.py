"""The portal itself: a run of our prompts, in a process and with a database of its own."""

from __future__ import annotations

import logging
import sys
import time

from benchmarks import mock_server, private_portal
from benchmarks.peers import prompts
from benchmarks.table import Row


def seconds(url: str, most: int) -> float:
    """Run, and return the seconds from the start of asking to the last stored answer."""
    [row] = private_portal.rows_of("benchmarks.peers.portal", url, str(most))
    return float(row.figure)


def main(url: str, most: int) -> None:
    """Run as a worker does, in this process."""
    private_portal.set_up()
    logging.disable(logging.INFO)
    with mock_server.running() as other:
        _seconds(other.url, most, requests=most)  # A worker has long loaded what the first prompts load.
    took = _seconds(url, most, prompts.REQUESTS)
    private_portal.give([Row("evalportal", f"{took:.3f}", "", None)])


def _seconds(url: str, most: int, requests: int) -> float:
    from scoring.engine import asking, bells
    from tests.engine.making import endpoint, started, version

    asked = endpoint(url, most=most, model=prompts.MODEL)
    # As the others are asked: without log-probabilities.
    run = started(version(requests, suite="cybersec"), asked, parameters={"logprobs": False})
    begun = time.perf_counter()
    asking.serve(run.endpoint_id, ring=bells.silent)
    took = time.perf_counter() - begun
    assert run.responses.filter(state="done").count() == requests, "not every answer was stored"
    return took


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
