"""Pieces go in; a file comes out that is there whole, or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def save(pieces: Iterable[bytes], path: Path) -> int:
    """Write a file under its name only once it is complete, and say how large it is."""
    unfinished = path.with_name(f"{path.name}.part")
    size = 0
    try:
        with unfinished.open("wb") as file:
            for piece in pieces:
                size += file.write(piece)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return size
