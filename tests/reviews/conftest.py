"""A run whose Tier 2 answers wait for people."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

from reviews import sampling
from scoring import cases, runs
from scoring.engine import local
from scoring.models import Endpoint, Run
from scoring.uploads import Source
from tests.reviews.making import erin, make_run, marks
from tests.scoring.conftest import ccop_row
from tests.uploads.rows import lines

__all__ = ["erin", "make_run", "marks", "review_run", "run_to_review"]


def run_to_review(alice: Any, count: int = 2, *, benchmark: int = 7, **settings: Any) -> Run:
    """Ask an echo the cases of one benchmark, score them, and send to people what they shall mark."""
    rows = [ccop_row(number, benchmark) for number in range(1, count + 1)]
    outcome = cases.add([Source("rows.jsonl", [lines(*rows)])], dataset=f"b{benchmark}", suite="ccop")
    assert outcome.version
    endpoint, _ = Endpoint.objects.get_or_create(name="Parrot", gateway="echo", model="echo")
    run = Run.objects.create(
        name="Parrot, baseline", version=outcome.version, endpoint=endpoint, created_by=alice, **settings
    )
    runs.start(run)
    local.drive(run.pk, Event())
    sampling.draw(Run.objects.get(pk=run.pk))
    return Run.objects.get(pk=run.pk)


@pytest.fixture
def review_run(transactional_db: None, alice: Any) -> Callable[..., Run]:
    """Make a run that waits for people."""
    return lambda *args, **settings: run_to_review(alice, *args, **settings)
