"""What was scored or marked lately is looked for; what boards need of it is made, before anyone looks."""

from __future__ import annotations

from evalportal import board_entries, leaderboard, ranks
from evalportal.leaderboard import Filters


def refresh() -> list[int]:
    """Make what is missing or no longer fits, and say of which dataset versions that was."""
    scored = list(board_entries.stale().select_related("run__version__dataset"))
    board_entries.find(scored)
    found = list(dict.fromkeys([*(one.run.version_id for one in scored), *leaderboard.undecided()]))
    for version in found:
        leaderboard.board(Filters(version=version))
    ranks.forget()
    return found
