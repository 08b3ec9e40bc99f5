"""A zip file goes in; its manifest and the lines of its files come out, checked against their hashes."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from hashlib import sha256
from typing import IO, Any, Never

from evalportal.bundles import parts
from evalportal.bundles.parts import BundleError

_CHUNK = 1024 * 1024
# No row is that long; a line that is was made to exhaust whoever reads it.
_LONGEST_LINE = 64 * 1024 * 1024
# What a few kilobytes can be made to unpack to has no end.
_LARGEST = 64 * 1024**3


class Archive:
    """A bundle whose files are what its manifest says they are."""

    def __init__(self, file: IO[bytes]) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
            self._check_size()
            self.manifest = self._manifest()
            self._check_files()
        except (
            zipfile.BadZipFile,
            zlib.error,
            NotImplementedError,
            EOFError,
            OSError,
            RuntimeError,
        ) as error:
            raise BundleError(f"This is not a bundle, or it is damaged: {error}.") from error

    @property
    def rows(self) -> int:
        """How many lines its files have, as the manifest says."""
        counts = (about.get("rows") for about in self.manifest["files"].values())
        return sum(count for count in counts if isinstance(count, int))

    def chunks(self, name: str) -> Iterator[bytes]:
        """Give the bytes of a file, some at a time."""
        with self._zip.open(name) as file:
            while chunk := file.read(_CHUNK):
                yield chunk

    def records(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Give the lines of a file as mappings, each with its number."""
        with self._zip.open(name) as file:
            number = 0
            while line := file.readline(_LONGEST_LINE):
                number += 1
                yield number, _mapping(line, f"{name}, line {number}")

    def _manifest(self) -> dict[str, Any]:
        if parts.MANIFEST not in self._zip.namelist():
            raise BundleError(f"This is not a bundle: there is no {parts.MANIFEST} in it.")
        with self._zip.open(parts.MANIFEST) as file:
            found = _mapping(file.read(_LONGEST_LINE), parts.MANIFEST)
        if found.get("format") != parts.FORMAT:
            raise BundleError(f"This is not a bundle: its manifest does not say “{parts.FORMAT}”.")
        if found.get("format_version") != parts.FORMAT_VERSION:
            raise BundleError(
                f"This bundle has format version {found.get('format_version')!r}; "
                f"this portal reads version {parts.FORMAT_VERSION}."
            )
        missing = {"run", "dataset", "endpoints", "benchmarks", "files"} - found.keys()
        if missing:
            raise BundleError(f"The manifest says nothing of: {', '.join(sorted(missing))}.")
        return found

    def _check_size(self) -> None:
        size = sum(entry.file_size for entry in self._zip.infolist())
        if size > _LARGEST:
            raise BundleError(
                f"The bundle unpacks to {size / 1024**3:,.0f} GB; {_LARGEST // 1024**3} GB are the most."
            )

    def _check_files(self) -> None:
        files = self.manifest["files"]
        names = sorted(self._zip.namelist())
        if names != sorted([*parts.FILES, parts.MANIFEST]) or sorted(files) != sorted(parts.FILES):
            raise BundleError("The bundle does not hold the files that a bundle holds, each once.")
        for name in parts.FILES:
            digest = sha256()
            for chunk in self.chunks(name):
                digest.update(chunk)
            if digest.hexdigest() != files[name].get("sha256"):
                raise BundleError(
                    f"{name} is not what the manifest says it is: the file is damaged or changed."
                )


def _mapping(line: bytes, where: str) -> dict[str, Any]:
    try:
        found = json.loads(line, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{where}: this is not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise BundleError(f"{where}: a mapping is wanted.")
    return found


def _refuse(word: str) -> Never:
    raise ValueError(f"{word} is no number")
