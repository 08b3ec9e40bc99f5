"""A broker's address or a list goes in; until the end of a test bells are rung there, or kept in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


def heard(by: list[int]) -> Callable[..., None]:
    """Make an `apply_async` that keeps the number a task is sent for."""
    return lambda arguments, **options: by.append(*arguments)


@contextmanager
def ringing_at(url: str) -> Iterator[None]:
    """Ring at another broker; Celery keeps its connections with the one before unless it is told."""
    from evalportal.celery import app

    before = app.conf.broker_url
    try:
        _ring_at(url)
        yield
    finally:
        _ring_at(before)


def _ring_at(url: str) -> None:
    from evalportal.celery import app

    app.conf.update(broker_url=url)
    app._after_fork()  # type: ignore[attr-defined]
