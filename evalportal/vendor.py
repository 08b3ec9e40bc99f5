"""Names of third-party files go in, the files inside installed npm packages come out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

PACKAGES = Path(settings.BASE_DIR) / "node_modules"
FILES = {"vendor/echarts.js": "echarts/dist/echarts.min.js"}


class VendorFinder(BaseFinder):
    """Serve the few files of npm packages that pages use, and nothing else of them."""

    def check(self, **kwargs: Any) -> list[Any]:
        return []

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:
        source = PACKAGES / FILES[path] if path in FILES else None
        found = [str(source)] if source and source.exists() else []
        return found if find_all else (found[0] if found else [])

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterable[tuple[str, _OneFile]]:
        return [(path, _OneFile(source)) for path, source in FILES.items() if (PACKAGES / source).exists()]


class _OneFile(FileSystemStorage):
    """A storage in which one file answers to whatever name it is asked by."""

    prefix = ""

    def __init__(self, source: str) -> None:
        super().__init__(location=PACKAGES)
        self._source = source

    def path(self, name: str) -> str:
        return str(PACKAGES / self._source)
