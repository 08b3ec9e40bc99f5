"""What goes on in the portal goes in; what an admin or a manager should look at first comes out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from evalportal import board_entries
from evalportal.models import BoardEntry, BundleImport, Export, Job
from reviews.models import ReviewItem
from scoring.engine import workers
from scoring.models import Response, Run, Upload

QUEUES = {
    "inference": "asks models",
    "judging": "asks judges",
    "scoring": "scores answers, reads uploads",
    "default": "finds what was left undone",
}
# What failed longer ago than this has been looked at, or will not be.
LATELY = timedelta(days=14)
MOST = 6
State = Run.State


class Underway(NamedTuple):
    """A run that is under way, and how many of its questions are through."""

    run: Run
    total: int
    through: int
    failed: int


class Failure(NamedTuple):
    """Something to look at: what it is, where, why, and since when."""

    what: str
    name: str
    url: str
    why: str
    at: datetime


class Unmet(NamedTuple):
    """A run that people have not finished with: how far reviewers agree, and how much is marked."""

    run: Run
    gate: Mapping[str, Any] | None
    items: int
    done: int
    disputed: int


def under_way() -> list[Underway]:
    """List the newest runs that are under way."""
    found = list(_runs().filter(state__in=Run.UNDER_WAY)[:MOST])
    asked = Response.objects.filter(run__in=found).order_by().values_list("run")
    counted = asked.annotate(
        total=Count("pk"),
        through=Count("pk", filter=Q(state__in=("done", "failed"))),
        failed=Count("pk", filter=Q(state="failed")),
    )
    counts = {run: numbers for run, *numbers in counted}
    return [Underway(run, *counts.get(run.pk, (0, 0, 0))) for run in found]


def queues() -> list[tuple[str, str, bool]]:
    """Say of each queue what it is for, and whether a worker listens."""
    silent = workers.silent_queues(tuple(QUEUES))
    return [(name, duty, name not in silent) for name, duty in QUEUES.items()]


def failures() -> list[Failure]:
    """List what failed of late or stands still, the newest first."""
    since = timezone.now() - LATELY
    found = chain(_stopped_runs(since), _incomplete_runs(since), _uploads(since), _jobs(since))
    return sorted(found, key=attrgetter("at"), reverse=True)[: 2 * MOST]


def unmet() -> list[Unmet]:
    """List the newest runs that await review, with what is kept of their reviews."""
    awaiting = list(_runs().filter(state=State.AWAITING_REVIEW)[:MOST])
    kept = BoardEntry.objects.filter(scoring__in=board_entries.counted().filter(run__in=awaiting))
    gates = dict(kept.values_list("scoring__run", "review__gate"))
    drawn = ReviewItem.objects.filter(run__in=awaiting).order_by().values_list("run")
    counted = drawn.annotate(
        items=Count("pk"),
        done=Count("pk", filter=Q(state__in=("complete", "settled"))),
        disputed=Count("pk", filter=Q(state="disputed")),
    )
    counts = {run: numbers for run, *numbers in counted}
    return [Unmet(run, gates.get(run.pk), *counts.get(run.pk, (0, 0, 0))) for run in awaiting]


def _runs() -> QuerySet[Run]:
    return Run.objects.select_related("version__dataset", "endpoint").order_by("-pk")


def _stopped_runs(since: datetime) -> list[Failure]:
    failed = Q(state=State.FAILED, finished_at__gte=since)
    blocked = Q(state=State.PAUSED, blocked_by__isnull=False)
    found = _runs().filter(failed | blocked)[:MOST]
    return [
        Failure(
            "Run failed" if run.state == State.FAILED else "Run paused by the portal",
            run.name,
            run.get_absolute_url(),
            run.reason,
            run.finished_at or run.started_at or run.created_at,
        )
        for run in found
    ]


def _incomplete_runs(since: datetime) -> list[Failure]:
    """Find runs that have their scores, but not all their answers."""
    found = _runs().filter(state__in=board_entries.SCORED, finished_at__gte=since)[: 5 * MOST]
    counts = [(run, run.summary.get("answers", {}).get("failed", 0)) for run in found]
    return [
        Failure(
            "Answers failed",
            run.name,
            f"{run.get_absolute_url()}?show=failed",
            f"{count:,} of its questions got no answer: retry them on its page.",
            run.finished_at or run.created_at,
        )
        for run, count in counts
        if count
    ]


def _uploads(since: datetime) -> list[Failure]:
    found = Upload.objects.filter(state=Upload.State.FAILED, finished_at__gte=since)[:MOST]
    return [
        Failure("Upload failed", one.dataset_name, one.get_absolute_url(), one.message, one.created_at)
        for one in found
    ]


def _jobs(since: datetime) -> list[Failure]:
    failed = {"state": Job.State.FAILED, "finished_at__gte": since}
    found: list[Export | BundleImport] = [
        *Export.objects.filter(**failed)[:MOST],
        *BundleImport.objects.filter(**failed)[:MOST],
    ]
    return [
        Failure(
            "Export failed" if isinstance(job, Export) else "Bundle failed",
            job.name,
            job.get_absolute_url(),
            job.message,
            job.created_at,
        )
        for job in found
    ]
