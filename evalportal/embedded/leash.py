"""A command goes in, a process comes out that ends when its parent does, however the parent ended."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from evalportal.embedded.places import Account

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


def options(orphaned: signal.Signals, account: Account | None = None) -> dict[str, Any]:
    """Return the arguments of `subprocess` for a leashed process, run as the account where there is one.

    The kernel sends the signal `orphaned` when the *thread* that starts the process is gone: start it from
    one that stays. Linux alone knows this; elsewhere the next guardian clears what a killed one left behind.
    """
    arguments: dict[str, Any] = {"start_new_session": True}
    if account:
        arguments |= {"user": account.uid, "group": account.gid, "extra_groups": []}
    if sys.platform == "linux":
        # The user is changed before this is called; changing it afterwards would undo it.
        arguments["preexec_fn"] = _leash(orphaned, os.getpid())
    return arguments


def _leash(orphaned: signal.Signals, parent: int) -> Callable[[], None]:
    def tie() -> None:
        _libc.prctl(_PR_SET_PDEATHSIG, int(orphaned), 0, 0, 0)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)

    return tie
