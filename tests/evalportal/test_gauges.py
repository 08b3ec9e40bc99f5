"""Figures for Prometheus: in its format, and right."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from evalportal import gauges
from scoring.engine import workers
from scoring.models import Run, Verdict, Worker
from tests.engine.making import echo, started, version

pytestmark = pytest.mark.django_db

SAMPLE = re.compile(r'(evalportal_\w+)\{((?:\w+="(?:[^"\\\n]|\\["\\n])*",?)+)\} (\d+(?:\.\d+)?(?:e-\d+)?)')


def _figures() -> dict[tuple[str, str], float]:
    lines = [line for line in gauges.text().splitlines() if not line.startswith("#")]
    found = [SAMPLE.fullmatch(line) for line in lines]
    assert all(found), lines
    return {(one[1], one[2]): float(one[3]) for one in found if one}


def _done(run: Run, positions: list[int], **more: Any) -> None:
    asked = {
        "state": "done",
        "attempts": 1,
        "answered_at": Now(),
        "prompt_tokens": 10,
        "completion_tokens": 5,
    }
    run.responses.filter(position__in=positions).update(**asked | more)


def test_it_explains_and_types_every_figure_before_it_stands() -> None:
    started(version(2), echo())
    explained: list[str] = []
    for line in gauges.text().splitlines():
        if line.startswith("# HELP "):
            assert re.fullmatch(r"# HELP evalportal_\w+ [A-Z].*\.", line)
        elif line.startswith("# TYPE "):
            explained.append(line.split()[2])
            assert line.endswith(" gauge")
        else:
            assert line.startswith(explained[-1] + "{")
    assert len(explained) == len(set(explained))


def test_it_counts_runs_in_every_state_even_where_there_is_none() -> None:
    started(version(1), echo())
    figures = _figures()
    assert figures["evalportal_runs", 'state="queued"'] == 1
    assert figures["evalportal_runs", 'state="failed"'] == 0


def test_it_tells_latency_and_tokens_of_late_without_what_the_cache_gave() -> None:
    run = started(version(6), echo())
    _done(run, [1, 2, 3], latency_seconds=2.0)
    _done(run, [4], latency_seconds=60.0, answered_at=Now() - timedelta(hours=1))
    _done(run, [5], latency_seconds=60.0, attempts=0, from_cache=True)
    figures = _figures()
    assert figures["evalportal_recent_replies", 'what="answer"'] == 3
    assert figures["evalportal_recent_latency_seconds", 'what="answer",quantile="0.99"'] == 2
    assert figures["evalportal_recent_tokens", 'what="answer",direction="sent"'] == 30
    assert figures["evalportal_recent_tokens", 'what="answer",direction="received"'] == 15


def test_it_tells_failures_and_retries_by_kind() -> None:
    run = started(version(4, benchmark="B12"), echo(), judge=echo())
    run.responses.filter(position=1).update(state="failed", error_kind="too_long")
    run.responses.filter(position__in=[2, 3]).update(error_kind="rate_limited")
    Verdict.objects.create(
        run=run, response=run.responses.get(position=4), judge_model="echo", prompt_version=1,
        state="failed", error_kind='odd "kind"\\',
    )  # fmt: skip
    figures = _figures()
    assert figures["evalportal_failed", 'what="answer",kind="too_long"'] == 1
    assert figures["evalportal_failed", 'what="verdict",kind="odd \\"kind\\"\\\\"'] == 1
    assert figures["evalportal_retries_waiting", 'what="answer",kind="rate_limited"'] == 2


def test_it_tells_how_long_the_oldest_has_waited() -> None:
    run = started(version(1), echo())
    Run.objects.filter(pk=run.pk).update(created_at=Now() - timedelta(hours=2))
    assert _figures()["evalportal_oldest_waiting_seconds", 'what="answer"'] >= 7200
    _done(run, [1])
    assert ("evalportal_oldest_waiting_seconds", 'what="answer"') not in _figures()


def test_it_counts_the_workers_that_live() -> None:
    workers.pulse("one@here", ["inference", "judging"])
    workers.pulse("two@here", ["inference"])
    Worker.objects.create(name="gone@here", queues=["scoring"], seen_at=Now() - timedelta(minutes=1))
    figures = _figures()
    alive = {queue: figures["evalportal_workers", f'queue="{queue}"'] for queue in gauges.QUEUES}
    assert alive == {"inference": 2, "judging": 1, "scoring": 0, "default": 0}
    assert figures["evalportal_queue_listening", 'queue="scoring"'] == 0
