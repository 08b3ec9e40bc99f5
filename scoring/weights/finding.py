"""The name of a folder, a file or an installed package goes in, the place of its weights comes out."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from scoring.gateway_contract import GatewayError

_PACKAGE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


class Weights(NamedTuple):
    """A folder of weights and, where they are in that format, the GGUF file in it."""

    folder: Path
    gguf: str | None = None


def find(name: str) -> Weights:
    """Find weights on this machine; nothing is ever fetched from elsewhere, and no package is run."""
    path = Path(name).expanduser()
    if path.suffix == ".gguf" and path.is_file():
        return Weights(path.parent, path.name)
    places = (path,) if path.is_dir() else _package(name)
    for folder in chain.from_iterable(_folders(place) for place in places):
        if (folder / "config.json").is_file():
            return Weights(folder)
        if len(files := sorted(folder.glob("*.gguf"))) == 1:
            return Weights(folder, files[0].name)
    raise GatewayError(
        "not_installed",
        f"There are no weights in “{name}” on this machine: give a folder with a config.json, a .gguf file "
        "or the name of an installed package that holds one of them.",
    )


def _package(name: str) -> list[Path]:
    found = importlib.util.find_spec(name) if _PACKAGE.fullmatch(name) else None
    return [Path(place) for place in (found and found.submodule_search_locations) or ()]


def _folders(place: Path) -> Iterator[Path]:
    """Look into a folder and into those right below it."""
    yield place
    yield from sorted(folder for folder in place.iterdir() if folder.is_dir())
