"""A test session goes in; PostgreSQL and Redis of its own come out, and go with it, even if it is killed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from evalportal.embedded import sharing
from evalportal.embedded.provide import offers

_SESSION = "EVALPORTAL_TEST_SESSION"


def start() -> Path:
    """Set `DATABASE_URL`, `REDIS_URL` and `EVALPORTAL_VAR` for this session, and return the session's folder.

    `TEST_DATABASE_URL` and `TEST_REDIS_URL` name servers to use instead. Processes that the session starts
    find its folder in their environment and share its servers. Call it before Django's settings are read.
    """
    var = Path(os.environ.get(_SESSION) or tempfile.mkdtemp(prefix="evalportal-test-")).resolve()
    os.environ[_SESSION] = os.environ["EVALPORTAL_VAR"] = str(var)
    for variable, server in offers(var, throwaway=True).items():
        if given := os.environ.get(f"TEST_{variable}"):
            os.environ[variable] = given
        else:
            sharing.join(server)
            os.environ[variable] = server.url()
    return var
