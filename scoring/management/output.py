"""A path and what shall stand there go in; a file comes out that is there whole, or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def check(path: Path) -> None:
    """Raise OSError for a path that cannot be written, before hours go into what shall stand there."""
    if path.is_dir():
        raise IsADirectoryError(None, "it is a folder, not a file")
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(None, "it is there, and may not be written")
    if not _special(path):
        unfinished = _unfinished(path)
        unfinished.touch()
        unfinished.unlink()


def write(path: Path, document: Any) -> None:
    """Write JSON under its name only once it is complete; a pipe or a device takes it as it comes."""
    if _special(path):
        _dump(path, document)
        return
    unfinished = _unfinished(path)
    try:
        _dump(unfinished, document)
        unfinished.replace(path.resolve())
    finally:
        unfinished.unlink(missing_ok=True)


def _special(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _unfinished(path: Path) -> Path:
    """Name the file beside that where a link leads: a name can be changed only where it is."""
    real = path.resolve()
    return real.with_name(f"{real.name}.part")


def _dump(path: Path, document: Any) -> None:
    with path.open("w", encoding="utf-8") as file:
        json.dump(document, file, ensure_ascii=False, indent=1, default=str)
