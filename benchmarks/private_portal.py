"""A module goes in; it runs in a process of its own, with a database of its own, and its rows come out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.table import Row
from evalportal.embedded import places, sharing

_SERVICES = ("postgres", "redis")


def rows_of(module: str, *arguments: str) -> list[Row]:
    """Run `python -m MODULE` on an empty portal with the settings that a real one has."""
    with folder() as var:
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            env=environment(var),
            stdout=subprocess.PIPE,
            check=True,
        )
    return [Row(*row) for row in json.loads(done.stdout)]


@contextmanager
def folder() -> Iterator[Path]:
    """Give a folder for a portal, and remove it with all that the portal's servers have written elsewhere."""
    var = Path(tempfile.mkdtemp(prefix="evalportal-bench-"))
    try:
        yield var
    finally:
        _clear(var)


def environment(var: Path) -> dict[str, str]:
    """Return the environment of a portal that lives in a folder of its own, with servers of its own."""
    kept = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    return kept | {"EVALPORTAL_VAR": str(var), "DJANGO_SETTINGS_MODULE": "evalportal.settings"}


def set_up() -> Path:
    """Start the database, make its tables, and return the folder to work in."""
    from evalportal.embedded.provide import provide

    provide()
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    return places.default_var()


def give(rows: list[Row]) -> None:
    """Hand the rows over to whoever runs the module."""
    print(json.dumps(rows))


def _clear(var: Path) -> None:
    """Remove all that the portal has written, once its servers have stopped."""
    wait_for_end(var)
    for service in _SERVICES:
        shutil.rmtree(places.find(var, service).home.parent, ignore_errors=True)
    shutil.rmtree(var, ignore_errors=True)


def wait_for_end(var: Path) -> None:
    """Wait until the servers of a portal that has stopped have stopped, too."""
    deadline = time.monotonic() + 30
    for place in (places.find(var, service) for service in _SERVICES):
        while place.home.exists() and sharing.guarded(place) and time.monotonic() < deadline:
            time.sleep(0.1)
