"""A disk that is full, as far as this process can tell."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest


@pytest.fixture
def small_files() -> Callable[[int], AbstractContextManager[None]]:
    """Let no file grow beyond so many bytes: the system refuses to write more, as it does on a full disk."""

    @contextmanager
    def limited(size: int) -> Iterator[None]:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return limited
