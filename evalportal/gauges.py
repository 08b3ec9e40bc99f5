"""The database goes in, figures as Prometheus reads them come out.

However many answers there are, a look costs little: finished runs are not counted again, and of each run that
is not, only the latest rows are read. So everything is a gauge: it says how things are now, not since ever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models import Count
from django.db.models.functions import Now
from psycopg.sql import SQL, Identifier

from reviews.models import ReviewItem
from scoring.engine import workers
from scoring.models import Run, Upload, Worker

QUEUES = ("inference", "judging", "scoring", "default")
# What is recent, and how many rows of a run are looked at, at most, to find it.
_RECENTLY, _LATEST = timedelta(minutes=5), 20_000
_QUANTILES = ("0.5", "0.9", "0.99")
# What is asked, and the table and the order in which it is.
_ASKED = {
    "answer": {"table": Identifier("scoring_response"), "order": Identifier("position")},
    "verdict": {"table": Identifier("scoring_verdict"), "order": Identifier("id")},
}

Labels = Mapping[str, object]


def text() -> str:
    """Write every figure with its help and its kind."""
    return "".join([*_states(), *_recent(), *_troubles(), *_waiting(), *_listening()])


def _states() -> Iterator[str]:
    for name, model, said in (
        ("runs", Run, "Runs"),
        ("uploads", Upload, "Uploads"),
        ("review_items", ReviewItem, "Answers for people"),
    ):
        counts = dict(model.objects.order_by().values_list("state").annotate(count=Count("pk")))
        rows = [({"state": state}, counts.get(state, 0)) for state in model.State.values]
        yield from _gauge(name, f"{said} by state.", rows)
    for name, what in (("responses", "answer"), ("verdicts", "verdict")):
        rows = [({"state": state}, count) for state, count in _rows(_UNDER_WAY, what)]
        yield from _gauge(f"{name}_under_way", f"{name.title()} of runs under way by state.", rows)


def _recent() -> Iterator[str]:
    """Tell how many replies came of late, how long they took and what they cost; the cache costs nothing."""
    found = {what: _rows(_RECENT, what)[0] for what in _ASKED}
    when = f"in the last five minutes, of the latest {_LATEST} of each run"
    replies = [({"what": what}, count) for what, (count, *_) in found.items()]
    yield from _gauge("recent_replies", f"Replies of models and judges {when}.", replies)
    yield from _gauge(
        "recent_latency_seconds",
        f"How long replies took {when}.",
        [
            ({"what": what, "quantile": quantile}, seconds)
            for what, (*_, latencies) in found.items()
            for quantile, seconds in zip(_QUANTILES, latencies or (), strict=False)
        ],
    )
    yield from _gauge(
        "recent_tokens",
        f"Tokens sent and received {when}.",
        [
            ({"what": what, "direction": direction}, tokens)
            for what, (_, *both, _) in found.items()
            for direction, tokens in zip(("sent", "received"), both, strict=True)
        ],
    )


def _troubles() -> Iterator[str]:
    found = {what: _rows(_TROUBLES, what) for what in _ASKED}
    where = f"of runs not ended or ended in the last five minutes, at most {_LATEST} each, by kind of error"
    for name, said, wanted in (
        ("failed", "Answers and verdicts that failed", True),
        ("retries_waiting", "Answers and verdicts that wait to be asked again", False),
    ):
        rows = [
            ({"what": what, "kind": kind}, count)
            for what, kinds in found.items()
            for failed, kind, count in kinds
            if failed is wanted
        ]
        yield from _gauge(name, f"{said}, {where}.", rows)


def _waiting() -> Iterator[str]:
    ages = [({"what": what}, seconds) for what, seconds in _rows(_OLDEST) if seconds is not None]
    yield from _gauge("oldest_waiting_seconds", "How long the oldest that waits has been wanted.", ages)


def _listening() -> Iterator[str]:
    alive = Worker.objects.filter(seen_at__gte=Now() - workers.SILENCE).values_list("queues", flat=True)
    heard = Counter(queue for queues in alive for queue in queues)
    each = [({"queue": queue}, heard[queue]) for queue in QUEUES]
    yield from _gauge("workers", "Workers that listen on a queue.", each)
    listening = [(labels, int(count > 0)) for labels, count in each]
    yield from _gauge("queue_listening", "Whether a worker listens on a queue.", listening)


def _rows(query: str, what: str = "answer") -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        limits: dict[str, Any] = {"under_way": list(Run.UNDER_WAY), "recent": _RECENTLY, "latest": _LATEST}
        cursor.execute(SQL(query).format(**_ASKED[what]), limits)
        return list(cursor.fetchall())


def _gauge(name: str, help_text: str, rows: Iterable[tuple[Labels, object]]) -> Iterator[str]:
    yield f"# HELP evalportal_{name} {help_text}\n# TYPE evalportal_{name} gauge\n"
    for labels, value in rows:
        listed = ",".join(f'{label}="{_escaped(str(given))}"' for label, given in labels.items())
        yield f"evalportal_{name}{{{listed}}} {value}\n"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


_UNDER_WAY = """
SELECT asked.state, count(*) FROM {table} AS asked
JOIN scoring_run AS run ON run.id = asked.run_id WHERE run.state = ANY(%(under_way)s)
GROUP BY 1 ORDER BY 1
"""

_RECENT = """
SELECT count(*), coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0),
    percentile_cont(ARRAY[0.5, 0.9, 0.99]) WITHIN GROUP (ORDER BY latency_seconds)
FROM scoring_run AS run CROSS JOIN LATERAL (
    SELECT answered_at, attempts, prompt_tokens, completion_tokens, latency_seconds FROM {table}
    WHERE run_id = run.id AND state = 'done' ORDER BY {order} DESC LIMIT %(latest)s
) AS latest
WHERE run.state NOT IN ('draft', 'cancelled')
    AND (run.finished_at IS NULL OR run.finished_at >= statement_timestamp() - %(recent)s)
    -- What came from the cache was never asked.
    AND latest.answered_at >= statement_timestamp() - %(recent)s AND latest.attempts > 0
"""

_TROUBLES = """
SELECT troubled.state = 'failed', error_kind, count(*)
FROM scoring_run AS run CROSS JOIN LATERAL (
    (SELECT state, error_kind FROM {table} WHERE run_id = run.id AND state = 'failed' LIMIT %(latest)s)
    UNION ALL
    -- They are asked in this order, so those that were asked before stand first.
    (SELECT state, error_kind FROM {table} WHERE run_id = run.id AND state = 'waiting'
     ORDER BY {order} LIMIT %(latest)s)
) AS troubled
WHERE run.state NOT IN ('draft', 'cancelled')
    AND (run.finished_at IS NULL OR run.finished_at >= statement_timestamp() - %(recent)s)
    AND error_kind <> ''
GROUP BY 1, 2 ORDER BY 1, 2
"""

_OLDEST = """
SELECT 'answer', extract(epoch FROM statement_timestamp() - min(run.created_at))::float8
FROM scoring_run AS run WHERE run.state = ANY(%(under_way)s)
    AND EXISTS (SELECT FROM scoring_response AS r WHERE r.run_id = run.id AND r.state = 'waiting')
UNION ALL
SELECT 'verdict',
    extract(epoch FROM statement_timestamp() - min(coalesce(run.answered_at, run.started_at)))::float8
FROM scoring_run AS run WHERE run.state = ANY(%(under_way)s)
    AND EXISTS (SELECT FROM scoring_verdict AS v WHERE v.run_id = run.id AND v.state = 'waiting')
UNION ALL
SELECT 'upload', extract(epoch FROM statement_timestamp() - min(created_at))::float8
FROM scoring_upload WHERE state = 'waiting'
"""
