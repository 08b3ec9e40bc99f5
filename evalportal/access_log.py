"""A request goes in, its line of the web server's log comes out, without what would open a door."""

from __future__ import annotations

import re
from typing import Any

from gunicorn.glogging import Logger

_INVITATION = re.compile(r"(/welcome/)[^\s?#\"]+")


class AccessLogger(Logger):  # type: ignore[misc]  # gunicorn has no types
    """Write the path of an invitation without its token: whoever reads the log could use it."""

    def atoms(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        found = super().atoms(*args, **kwargs).items()
        return {
            name: _INVITATION.sub(r"\1…", word) if isinstance(word, str) else word for name, word in found
        }
