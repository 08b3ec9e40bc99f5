"""The database goes in, figures as Prometheus reads them come out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.db.models import Count

from reviews.models import ReviewItem
from scoring.engine import workers
from scoring.models import Response, Run, Upload, Verdict

QUEUES = ("inference", "judging", "scoring", "default")


def text() -> str:
    """Write every figure with its help and its kind."""
    return "".join(_lines())


def _lines() -> Iterator[str]:
    under_way = Run.objects.filter(state__in=Run.UNDER_WAY)
    yield from _gauge("runs", "Runs by state.", "state", _by_state(Run))
    yield from _gauge("uploads", "Uploads by state.", "state", _by_state(Upload))
    yield from _gauge("review_items", "Answers for people by state.", "state", _by_state(ReviewItem))
    for name, model in (("responses", Response), ("verdicts", Verdict)):
        rows = model.objects.filter(run__in=under_way).order_by()
        counts = rows.values_list("state").annotate(count=Count("pk"))
        yield from _gauge(f"{name}_under_way", f"{name.title()} of runs under way by state.", "state", counts)
    silent = set(workers.silent_queues(QUEUES))
    listening = [(queue, int(queue not in silent)) for queue in QUEUES]
    yield from _gauge("queue_listening", "Whether a worker listens on a queue.", "queue", listening)


def _by_state(model: type[Run] | type[Upload] | type[ReviewItem]) -> Iterable[tuple[str, int]]:
    return model.objects.order_by().values_list("state").annotate(count=Count("pk"))


def _gauge(name: str, help_text: str, label: str, rows: Iterable[tuple[str, int]]) -> Iterator[str]:
    yield f"# HELP evalportal_{name} {help_text}\n# TYPE evalportal_{name} gauge\n"
    yield from (f'evalportal_{name}{{{label}="{value}"}} {count}\n' for value, count in rows)
