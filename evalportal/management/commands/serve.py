"""A port goes in, the whole portal comes out: web, workers, beat and the small model, until Ctrl-C."""

from __future__ import annotations

import hashlib
import http.client
import os
import shlex
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from evalportal import small_model
from evalportal.embedded import alone, model, sharing
from evalportal.embedded.bell import Bell, Terminal
from evalportal.embedded.children import Child, Family
from evalportal.embedded.places import ServiceError
from evalportal.embedded.provide import own, provide
from evalportal.models import Person

_TO_START = 90  # seconds for the web server to answer
_TO_LOAD = 30  # seconds for the small model, without which the rest works as well
_TO_STOP = 8  # seconds for everyone to finish what they are doing
# Every address of this machine, and how we reach it ourselves.
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 (compared, not bound)


class Command(BaseCommand):
    """Run everything that the portal needs, together."""

    help = "Serve the portal with its workers until Ctrl-C."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (default: 8000)")
        parser.add_argument("--demo", action="store_true", help="load the sample cases and sample people")

    def handle(self, *, host: str, port: int, **options: Any) -> None:
        address = f"http://{_in_url(host)}:{port}"
        lock = alone.claim(settings.VAR, address)
        listener = _listen(host, port)
        self._admit(host)
        family = Family(self._say)
        try:
            model_port = self._start_model(family)
            _prepare(demo=options["demo"])
            leaving = _Leaving()
            for child in children(listener.fileno()):
                family.add(child)
            self._wait(family, leaving, host, port)
            self._wait_for_model(family, leaving, model_port)
            self._welcome(address)
            while not leaving.within(1.0):
                family.tend()
                self._watch_services()
        except _Left:
            pass
        finally:
            family.stop(_TO_STOP)
            listener.close()
            os.close(lock)

    def _admit(self, host: str) -> None:
        """Let the portal answer under the address that it is given, or say that its names must be told."""
        if os.environ.get("ALLOWED_HOSTS"):
            return
        if host in _ANY:
            self._say(
                "it is open to other machines and refuses their requests, because it does not know under "
                "which names they reach it: set ALLOWED_HOSTS to these names, with commas between them"
            )
        else:
            names = dict.fromkeys([*settings.ALLOWED_HOSTS, _in_url(host)])
            os.environ["ALLOWED_HOSTS"] = ",".join(names)

    def _welcome(self, address: str) -> None:
        """Say in one line where the portal is, and in another how to get in if nobody can."""
        self.stdout.write(f"evalportal is ready on {address} (Ctrl-C stops it)")
        if not Person.objects.exists():
            self.stdout.write(
                f"Nobody can sign in yet. Make the first admin in another terminal: {_command()}"
            )
        self.stdout.flush()

    def _start_model(self, family: Family) -> int | None:
        """Start the small model unless one is named, tell everyone where it is, and return its port."""
        if os.environ.get("EVALPORTAL_MODEL_URL"):
            return None
        if gaps := model.missing():
            self._say(
                f"there is no small model here: {' and '.join(gaps)} cannot be installed on this machine"
            )
            return None
        port = model.choose_port(settings.VAR / "model.port")
        os.environ |= {"EVALPORTAL_MODEL_URL": model.url(port), "EVALPORTAL_MODEL_NAME": model.NAME}
        family.add(Child("the small model", model.command(port), settings.VAR / "log" / "model.log"))
        return port

    def _wait(self, family: Family, leaving: _Leaving, host: str, port: int) -> None:
        if not _come_true(lambda: _answers(host, port), family, leaving, _TO_START):
            raise CommandError(f"The portal does not answer; see the files in {settings.VAR / 'log'}")

    def _wait_for_model(self, family: Family, leaving: _Leaving, port: int | None) -> None:
        if port and not _come_true(lambda: model.ready(port), family, leaving, _TO_LOAD):
            self._say(f"the small model does not answer; see {settings.VAR / 'log' / 'model.log'}")

    def _watch_services(self) -> None:
        """Replace the guardian of an embedded server if it was killed, and the server with it."""
        try:
            if not all(sharing.guarded(server.place) for server in own()):
                self._say("an embedded server lost its guardian; starting it again")
                provide()
        except ServiceError as error:
            self._say(str(error))

    def _say(self, words: str) -> None:
        self.stderr.write(f"evalportal: {words}")


class _Leaving:
    """Everything that tells the portal to stop: Ctrl-C, a signal, a closed terminal (but not under nohup)."""

    def __init__(self) -> None:
        self._signals = {signal.SIGINT, signal.SIGTERM}
        self._terminal = None
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            self._signals.add(signal.SIGHUP)
            self._terminal = Terminal()
        self._bell = Bell(*self._signals, signal.SIGCHLD)

    def within(self, seconds: float) -> bool:
        """Wait, at most until a child ends, and say whether it is time to leave."""
        heard = self._bell.wait(seconds)
        return bool(self._signals & heard) or (self._terminal is not None and self._terminal.closed())


class _Left(Exception):  # noqa: N818 (not an error: someone wanted it)
    """Someone told the portal to stop before it was ready."""


def _come_true(condition: Callable[[], bool], family: Family, leaving: _Leaving, seconds: float) -> bool:
    """Wait for something while the children are tended; say whether it came true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        if leaving.within(0.1):
            raise _Left
        family.tend()
    return True


def _listen(host: str, port: int) -> socket.socket:
    """Take the port before anything else is done; the web server inherits it and never loses it."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        raise CommandError(
            f"Cannot serve on {_in_url(host)}:{port}: {os.strerror(error.errno or 0)}. "
            f"Another port can be chosen: make demo PORT={port + 1}"
        ) from error


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _command() -> str:
    """Return what to type for the first admin of this very portal."""
    given = "EVALPORTAL_VAR" in os.environ and f"EVALPORTAL_VAR={shlex.quote(str(settings.VAR))} "
    program = os.path.relpath(sys.executable) if sys.prefix != sys.base_prefix else "python3"
    return f"{given or ''}{program} manage.py createsuperuser"


def _prepare(*, demo: bool) -> None:
    """Bring database and static files up to date; all of it is quick when nothing has changed."""
    call_command("migrate", interactive=False, verbosity=0)
    _collect_static_files()
    if settings.CELERY_BROKER_URL.startswith("filesystem"):
        (settings.VAR / "broker").mkdir(exist_ok=True)
    if demo:
        call_command("load_samples")
    else:
        small_model.register()


def _collect_static_files() -> None:
    stamp: Path = settings.VAR / "static.stamp"
    state = _static_state()
    if not stamp.exists() or stamp.read_text() != state:
        call_command("collectstatic", interactive=False, clear=True, verbosity=0)
        stamp.write_text(state)


def _static_state() -> str:
    """Sum up name, size and time of every static file, and how they are stored."""
    digest = hashlib.sha256(repr(settings.STORAGES["staticfiles"]).encode())
    for finder in get_finders():
        for name, storage in finder.list([]):
            status = Path(storage.path(name)).stat()
            digest.update(f"{name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def children(descriptor: int) -> list[Child]:
    """Return the processes of the portal; the web server takes its connections from the descriptor."""
    logs: Path = settings.VAR / "log"
    celery = [sys.executable, "-m", "celery", "-A", "evalportal.celery:app"]
    worker = [*celery, "worker", "--loglevel=INFO", "--without-gossip", "--without-mingle", "--pool=threads"]
    return [
        Child(
            "web",
            [
                sys.executable,
                "-m",
                "gunicorn",
                "evalportal.wsgi:application",
                f"--bind=fd://{descriptor}",
                *_WEB,
            ],
            logs / "web.log",
            orphaned=signal.SIGTERM,
            descriptors=(descriptor,),
        ),
        Child(
            "the inference worker",
            [*worker, "--hostname=inference@%h", "--queues=inference,judging", "--concurrency=8"],
            logs / "inference.log",
        ),
        # Threads of one process: the embedding model is loaded once, and the sweep never waits for scores.
        Child(
            "the scoring worker",
            [*worker, "--hostname=scoring@%h", "--queues=scoring,default", "--concurrency=2"],
            logs / "scoring.log",
        ),
        Child(
            "beat",
            [*celery, "beat", "--loglevel=INFO", "--pidfile=", f"--schedule={settings.VAR / 'beat'}"],
            logs / "beat.log",
        ),
    ]


_WEB = (
    "--workers=2",
    "--worker-class=gthread",
    "--threads=8",
    "--preload",
    "--timeout=60",
    "--graceful-timeout=5",
    "--keep-alive=5",
    "--access-logfile=-",
    "--logger-class=evalportal.access_log.AccessLogger",
    "--no-control-socket",
)


def _answers(host: str, port: int) -> bool:
    """Say whether the portal is up; one that refuses our name of it is up as well."""
    connection = http.client.HTTPConnection(_ANY.get(host, host), port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status < http.HTTPStatus.INTERNAL_SERVER_ERROR
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
