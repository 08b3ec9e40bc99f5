"""The same work in Label Studio: how long the next task and its annotation take, one reviewer at a time.

`LABEL_STUDIO=/path/to/label-studio python -m benchmarks.peers_reviews` starts it with a database of its own,
and this portal with one of its own, and times both requests over HTTP in the one and in the other. Where it
is not installed, which it never is by our requirements, the script says so and measures nothing.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import httpx

from benchmarks import private_portal
from benchmarks.table import Row, print_table

TASKS, EACH = 1_000, 100
USER = {"email": "reviewer@example.org", "password": "reviewer-password"}
CRITERIA = ("accuracy", "completeness", "practicality", "clarity")
# Four criteria from 1 to 5, and room for a comment, as a reviewer has them here.
_RATINGS = "".join(f'<Rating name="{name}" toName="answer" maxRating="5"/>' for name in CRITERIA)
CONFIG = f'<View><Text name="answer" value="$answer"/>{_RATINGS}</View>'
ANSWER = "The owner of the system reviews the logs every month. " * 12
# Nothing outside of this machine is asked for anything.
QUIET = {
    "LATEST_VERSION_CHECK": "false",
    "COLLECT_ANALYTICS": "false",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
    "FEATURE_FLAGS_OFFLINE": "true",
}


def main() -> None:
    """Measure, and print a table."""
    found = os.environ.get("LABEL_STUDIO") or shutil.which("label-studio")
    if not found:
        print("Label Studio is not installed here: set LABEL_STUDIO to its program to compare with it.")
        return
    with _running(Path(found)) as url, httpx.Client(base_url=url, timeout=60) as client:
        _sign_in(client)
        rows = _rows(client, _project(client))
    print_table([*rows, *private_portal.rows_of("benchmarks.peers_reviews", "ours")])


def ours() -> None:
    """Do the same in this portal, and hand the rows over."""
    private_portal.set_up()
    from benchmarks import many_reviews

    many_reviews.PAST_RUNS, many_reviews.CASES = 1, TASKS
    many_reviews.make_past()
    many_reviews.open_items(TASKS)
    with _served() as client:
        times: dict[str, list[float]] = {"next": [], "submit": []}
        form = {f"mark-{name}": "4" for name in CRITERIA}
        for turn in range(EACH):
            page = _timed(times["next"], client, "GET", "/queue/next/")
            path = f"{page.headers['X-Review-Path']}submit/"
            body = form | {"token": str(turn), "csrfmiddlewaretoken": client.cookies["csrftoken"]}
            _timed(times["submit"], client, "POST", path, data=body)
    private_portal.give(_summed("This portal", times))


@contextmanager
def _served() -> Iterator[httpx.Client]:
    """Serve the portal to one reviewer, who is signed in."""
    from django.conf import settings
    from django.core.wsgi import get_wsgi_application
    from django.test import Client

    from evalportal.models import Person

    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
    visitor = Client()
    visitor.force_login(Person.objects.get(pk=1))
    server = make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=_Quiet)
    Thread(target=server.serve_forever, daemon=True).start()
    cookies = {"sessionid": visitor.cookies["sessionid"].value}
    address = f"http://127.0.0.1:{server.server_port}"
    with httpx.Client(base_url=address, cookies=cookies, headers={"X-Requested-With": "fetch"}) as client:
        yield client
    server.shutdown()


class _Quiet(WSGIRequestHandler):
    """Writes no line for every request."""

    def log_message(self, format: str, *arguments: Any) -> None:
        return


@contextmanager
def _running(program: Path) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="peer-") as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        start = ["start", "--no-browser", "--port", str(port), "--data-dir", folder]
        user = ["--username", USER["email"], "--password", USER["password"]]
        with (Path(folder) / "log").open("wb") as log:
            server = subprocess.Popen(
                [program, *start, *user], env=os.environ | QUIET, stdout=log, stderr=log, cwd=folder
            )
        try:
            _wait(f"http://127.0.0.1:{port}", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(30)


def _wait(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline and server.poll() is None:
        try:
            if httpx.get(f"{url}/health", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(1)
    raise RuntimeError("Label Studio has not come up.")


def _sign_in(client: httpx.Client) -> None:
    client.get("/user/login/")
    token = client.cookies["csrftoken"]
    client.post("/user/login/", data=USER | {"csrfmiddlewaretoken": token}).read()
    client.headers["X-CSRFToken"] = client.cookies["csrftoken"]


def _project(client: httpx.Client) -> int:
    made = client.post("/api/projects/", json={"title": "answers", "label_config": CONFIG})
    made.raise_for_status()
    number = int(made.json()["id"])
    tasks = [{"data": {"answer": f"{place}. {ANSWER}"}} for place in range(TASKS)]
    client.post(f"/api/projects/{number}/import", json=tasks).raise_for_status()
    return number


def _rows(client: httpx.Client, project: int) -> list[Row]:
    times: dict[str, list[float]] = {"next": [], "submit": []}
    body = {"result": [_result(name) for name in CRITERIA]}
    for _ in range(EACH):
        task = _timed(times["next"], client, "GET", f"/api/projects/{project}/next").json()
        path = f"/api/tasks/{task['id']}/annotations/"
        _timed(times["submit"], client, "POST", path, json=body)
    return _summed("Label Studio", times)


def _summed(name: str, times: dict[str, list[float]]) -> list[Row]:
    return [
        Row(
            f"{name}, {what}, {TASKS:,} open, one reviewer, over HTTP",
            f"p50 {median(took):.0f} ms, p95 {quantiles(took, n=20)[-1]:.0f} ms",
            "",
            None,
        )
        for what, took in times.items()
    ]


def _result(name: str) -> dict[str, Any]:
    return {"from_name": name, "to_name": "answer", "type": "rating", "value": {"rating": 4}}


def _timed(times: list[float], client: httpx.Client, method: str, path: str, **more: Any) -> httpx.Response:
    begun = time.perf_counter()
    answer = client.request(method, path, **more)
    times.append(1000 * (time.perf_counter() - begun))
    answer.raise_for_status()
    return answer


if __name__ == "__main__":
    if sys.argv[1:] == ["ours"]:
        ours()
    else:
        main()
