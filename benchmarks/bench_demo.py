"""An installed tree goes in; how long the demo takes to its first page comes out, the first time and later.

What `make` fetches before the first start depends on the network, and is not measured here.
"""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import NamedTuple

from benchmarks import private_portal
from benchmarks.table import Row, print_table
from evalportal.embedded.places import ROOT

_TARGET = 10  # seconds


class Start(NamedTuple):
    """Seconds from the command to the first page, to the line that says so, and from Ctrl-C to the end."""

    page: float
    line: float
    stop: float


def measure() -> list[Row]:
    """Start and stop the demo twice in a folder of its own."""
    with private_portal.folder() as var:
        first, second = _start(var), _start(var)
    met = second.line <= _TARGET
    return [
        Row(
            "the demo's first start, once all is installed, to the first page", _seconds(first.page), "", None
        ),
        Row("… to the line that it is ready, with the small model", _seconds(first.line), "", None),
        Row("its second start, to the first page", _seconds(second.page), "", None),
        Row("… to the line that it is ready, with the small model", _seconds(second.line), "≤ 10 s", met),
        Row("from Ctrl-C until all of it has stopped", _seconds(second.stop), "", None),
    ]


def _start(var: Path) -> Start:
    port = _free_port()
    begun = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--demo", "--port", str(port)],
        cwd=ROOT,
        env=private_portal.environment(var),
        stdout=subprocess.PIPE,
        text=True,
    ) as demo:
        page = _first_page(demo, port) - begun
        assert demo.stdout
        assert demo.stdout.readline().startswith("evalportal is ready")
        line = time.monotonic() - begun
        told = time.monotonic()
        demo.send_signal(signal.SIGINT)
    private_portal.wait_for_end(var)
    return Start(page, line, time.monotonic() - told)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _first_page(demo: subprocess.Popen[str], port: int) -> float:
    """Ask for the sign-in page until it comes, and say when that was."""
    while demo.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/sign-in/", timeout=60) as response:
                assert b"People of this demo" in response.read()
                return time.monotonic()
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("The demo ended before it showed a page.")


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s"


if __name__ == "__main__":
    print_table(measure())
