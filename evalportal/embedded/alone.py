"""A folder and an address go in; this is the only portal that serves from the folder, or we say which is."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from evalportal.embedded.places import ServiceError

_LONGEST_ADDRESS = 1000


def claim(var: Path, address: str) -> int:
    """Take the folder for ourselves for as long as the returned file is open, and write down our address."""
    lock = os.open(var / "serve.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        other = os.read(lock, _LONGEST_ADDRESS).decode()
        os.close(lock)
        raise ServiceError(
            f"A portal already serves the data in {var}, on {other or 'another port'}: "
            "stop that one first, or give this one a folder of its own with EVALPORTAL_VAR."
        ) from None
    os.ftruncate(lock, 0)
    os.write(lock, address.encode())
    return lock
