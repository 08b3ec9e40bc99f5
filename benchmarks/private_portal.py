"""A module goes in; it runs in a process of its own, with a database of its own, and its rows come out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.table import Row
from evalportal.embedded import places, sharing

_SERVICES = ("postgres", "redis")


def rows_of(module: str, *arguments: str) -> list[Row]:
    """Run `python -m MODULE` on an empty portal with the settings that a real one has."""
    var = Path(tempfile.mkdtemp(prefix="evalportal-bench-"))
    kept = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    try:
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            env=kept | {"EVALPORTAL_VAR": str(var), "DJANGO_SETTINGS_MODULE": "evalportal.settings"},
            stdout=subprocess.PIPE,
            check=True,
        )
    finally:
        _clear(var)
    return [Row(*row) for row in json.loads(done.stdout)]


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
    for service in _SERVICES:
        place = places.find(var, service)
        deadline = time.monotonic() + 30
        while place.home.exists() and sharing.guarded(place) and time.monotonic() < deadline:
            time.sleep(0.1)
        shutil.rmtree(place.home, ignore_errors=True)
        shutil.rmtree(place.home.parent, ignore_errors=True)
    shutil.rmtree(var, ignore_errors=True)
