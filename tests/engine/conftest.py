"""A PostgreSQL, a Redis, workers, a beat and a model server of the tests' own, to be killed at will."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis

from benchmarks import mock_server
from benchmarks.mock_server import Remote
from evalportal.embedded import sharing
from evalportal.embedded.places import ROOT
from evalportal.embedded.provide import offers
from evalportal.embedded.redis import Redis
from tests.bell_wires import ringing_at

QUEUES = "inference,judging,scoring,default"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder."""
    here = str(Path(__file__).parent)
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.engine)


class Broker:
    """A Redis of our own."""

    def __init__(self, folder: Path) -> None:
        self._socket = folder / "redis.sock"
        self.url = f"redis+socket://{self._socket}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        program = Redis.program()
        assert program
        self._socket.unlink(missing_ok=True)
        command = [str(program), "--port", "0", "--unixsocket", str(self._socket), "--save", ""]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=self._socket.parent)
        until(self._answers)

    def kill(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Let it take connections, and say nothing."""
        assert self.process
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def flush(self) -> None:
        redis.Redis(unix_socket_path=str(self._socket)).flushall()

    def _answers(self) -> bool:
        with suppress(redis.ConnectionError):
            return bool(redis.Redis(unix_socket_path=str(self._socket)).ping())
        return False


class Engine:
    """All that a run needs, in processes of their own."""

    def __init__(self, folder: Path, database_url: str, broker: Broker, postmaster: Path) -> None:
        self.folder, self.broker = folder, broker
        self._postmaster = postmaster
        self._environment = {
            **os.environ,
            "DATABASE_URL": database_url,
            "REDIS_URL": broker.url,
            "EVALPORTAL_RETRY_FIRST_SECONDS": "0.2",
            "EVALPORTAL_SWEEP_SECONDS": "0.5",
            "EVALPORTAL_LOG_LEVEL": "INFO",
        }
        self._web = str(folder / "web.sock")
        self._count = 0
        self._processes: list[subprocess.Popen[bytes]] = []

    def worker(self, queues: str = QUEUES) -> subprocess.Popen[bytes]:
        self._count += 1
        return self._celery(
            "worker", "-Q", queues, "-P", "threads", "-c", "6", "-n", f"w{self._count}@test",
            "--without-gossip", "--without-mingle",
        )  # fmt: skip

    def web(self) -> subprocess.Popen[bytes]:
        return self._start(
            "gunicorn", "evalportal.wsgi:application", f"--bind=unix:{self._web}", "--worker-class=gthread",
            "--threads=2",
        )  # fmt: skip

    def web_answers(self) -> bool:
        with (
            suppress(httpx.TransportError),
            httpx.Client(transport=httpx.HTTPTransport(uds=self._web)) as client,
        ):
            return client.get("http://127.0.0.1/readyz").is_success
        return False

    def beat(self) -> subprocess.Popen[bytes]:
        return self._celery("beat", "--pidfile=", "-s", str(self.folder / "beat"))

    def _celery(self, *arguments: str) -> subprocess.Popen[bytes]:
        return self._start("celery", "-A", "evalportal.celery:app", *arguments)

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", *arguments]
        with (self.folder / "celery.log").open("ab") as log:
            process = subprocess.Popen(command, cwd=ROOT, env=self._environment, stdout=log, stderr=log)
        self._processes.append(process)
        return process

    def restart_database(self) -> None:
        """Kill PostgreSQL as a power cut would; its guardian starts it again."""
        os.kill(int(self._postmaster.read_text().split()[0]), signal.SIGKILL)
        time.sleep(0.5)
        until(database_answers)

    def manage(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT, env=self._environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def stop(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()
        self._processes.clear()

    def log(self) -> str:
        return (self.folder / "celery.log").read_text(errors="replace")[-6000:]


def until(condition: Callable[[], Any], seconds: float = 60) -> None:
    """Wait until something becomes true, and fail if it does not."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"it did not come true within {seconds} seconds"
        time.sleep(0.05)


def database_answers() -> bool:
    from django.db import connection

    with suppress(Exception):
        connection.close()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            return True
    return False


@pytest.fixture(scope="session")
def services(django_db_blocker: Any) -> Iterator[Engine]:
    """Start the servers, and let Django in this process use the same database."""
    from django.core.management import call_command
    from django.db import connection

    from evalportal.settings import _database

    folder = Path(tempfile.mkdtemp(prefix="evalportal-engine-"))
    postgres: Any = offers(folder, throwaway=True)["DATABASE_URL"]
    sharing.join(postgres)
    broker = Broker(folder)
    broker.start()
    before = dict(connection.settings_dict)
    connection.close()
    connection.settings_dict.update(_database(postgres.url()))
    with django_db_blocker.unblock(), ringing_at(broker.url):
        call_command("migrate", verbosity=0)
        with connection.cursor() as cursor:
            # What is committed must survive the server's death.
            cursor.execute("ALTER DATABASE evalportal SET synchronous_commit = on")
        yield Engine(folder, postgres.url(), broker, postgres.place.data / "postmaster.pid")
        connection.close()
    connection.settings_dict.update(before)
    broker.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def engine(services: Engine) -> Iterator[Engine]:
    """Give a clean database and broker, and end all processes afterwards."""
    from django.db import connection

    services.broker.flush()
    with connection.cursor() as cursor:
        cursor.execute(
            "TRUNCATE scoring_dataset, scoring_case, scoring_membership, scoring_endpoint, scoring_run, "
            "scoring_worker CASCADE"
        )
    (services.folder / "celery.log").write_text("")
    yield services
    services.stop()
    if not services.broker.process or services.broker.process.poll() is not None:
        services.broker.start()


@pytest.fixture(scope="session")
def mock_process() -> Iterator[Remote]:
    with mock_server.running("--latency", "0.05") as remote:
        yield remote


@pytest.fixture
def mock(mock_process: Remote) -> Remote:
    mock_process.reset()
    mock_process.control(latency=0.05)
    return mock_process
