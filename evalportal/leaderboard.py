"""Filters go in; the runs on one dataset version come out, ranked, with intervals, ties and what is unknown.

As of an earlier day, the board is put together from what is on record: of each run the scoring that was the
newest finished one at the end of that day, and of its reviews what was decided by then.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple

from django.core.cache import cache
from django.db.models import Count, Max, QuerySet
from django.utils import timezone

from evalportal import board_entries, ranks, validations
from evalportal.board_entries import SCORED
from evalportal.models import BoardEntry
from evalportal.ranks import Rank
from reviews.events import Verb
from reviews.models import Event
from scoring import benchmarks
from scoring.models import Run, Scoring, Version

# Raise it when the board shows other things: what was drawn before is then drawn anew.
VERSION = 1
State = Run.State
_NOTHING = "0/0"
# Of a run, what its row says and what its figures are made from; not its long columns.
_SHOWN = (
    "name", "version_id", "judge_id", "phase", "threshold", "seed", "state", "finished_at", "reviewed_at",
    "endpoint__name",
)  # fmt: skip


class Filters(NamedTuple):
    """What is asked for; an empty value leaves the choice open."""

    suite: str = ""
    version: int | None = None
    phase: str = ""
    model: int | None = None
    since: date | None = None
    as_of: date | None = None
    sort: str = "rank"


class Row(NamedTuple):
    """One run on the board; `why` says why it has no rank."""

    run: Run
    rank: Rank | None
    why: str
    final: bool
    figures: Mapping[str, Any]
    review: Mapping[str, Any]
    cells: Sequence[Mapping[str, Any] | None]

    @property
    def pending(self) -> int:
        return sum(self.figures["pending"].values())


class Board(NamedTuple):
    """The runs on one version, in the order asked for, and those that are not on the board."""

    version: Version | None
    rows: Sequence[Row]
    categories: Sequence[str]
    absent: Sequence[Run]
    until: datetime | None


def board(wanted: Filters) -> Board:
    """Rank the runs on one version: the one asked for, or that of the run finished last."""
    version = _version(wanted)
    if version is None:
        return Board(None, [], [], [], _until(wanted))
    until = _until(wanted)
    runs = {run.pk: run for run in _runs(version, wanted)}
    scorings = _scorings(version, runs, until)
    entries = board_entries.find(list(scorings.values()))
    names = _categories(version.dataset.suite, entries.values())
    rows = _rows(version, scorings, entries, names, until)
    absent = [run for run in runs.values() if run.pk not in scorings and run.state != State.DRAFT]
    return Board(version, _sorted(rows, wanted.sort), names, absent, until)


def state(wanted: Filters) -> str:
    """Name all that a board shows, without reading any figures: the same name, the same board."""
    version, until = _version(wanted), _until(wanted)
    if version is None:
        return "nothing"
    counted = (Max("scorings__number"), Max("scorings__finished_at"))
    found = _runs(version, wanted).order_by("pk").values_list("pk", "state", *_SHOWN)
    runs = list(found.annotate(*counted))
    at_work = [pk for pk, state, *_ in runs if until or state == State.AWAITING_REVIEW]
    shown = (VERSION, board_entries.VERSION, ranks.VERSION, version.pk, str(version), until, runs)
    return hashlib.sha256(repr((shown, _decided(at_work))).encode()).hexdigest()


def undecided() -> list[int]:
    """List the versions that have a run of which the last decision is not in its entry yet."""
    marked = board_entries.counted().filter(run__state=State.AWAITING_REVIEW)
    rows = list(marked.values_list("run", "run__version", "board_entry__review_state"))
    decided = _decided([run for run, *_ in rows])
    return [version for run, version, known in rows if known != decided.get(run, _NOTHING)]


def versions(suite: str = "") -> QuerySet[Version]:
    """List the versions that models were run on, the one with the newest finished run first."""
    found = Version.objects.filter(runs__finished_at__isnull=False).select_related("dataset")
    if suite:
        found = found.filter(dataset__suite=suite)
    finished = Max("runs__finished_at")
    return found.annotate(run_count=Count("runs"), finished=finished).order_by("-finished", "-pk")


def _version(wanted: Filters) -> Version | None:
    found = versions(wanted.suite)
    chosen = found.filter(pk=wanted.version).first() if wanted.version else None
    return chosen or found.first()


def _until(wanted: Filters) -> datetime | None:
    """Give the end of the day asked for, where this portal is."""
    if wanted.as_of is None:
        return None
    return timezone.make_aware(datetime.combine(wanted.as_of + timedelta(days=1), time.min))


def _runs(version: Version, wanted: Filters) -> QuerySet[Run]:
    found = Run.objects.filter(version=version).select_related("endpoint").only(*_SHOWN)
    if wanted.phase:
        found = found.filter(phase=wanted.phase)
    if wanted.model:
        found = found.filter(endpoint=wanted.model)
    if wanted.since:
        found = found.filter(finished_at__gte=timezone.make_aware(datetime.combine(wanted.since, time.min)))
    return found


def _scorings(version: Version, runs: Mapping[int, Run], until: datetime | None) -> dict[int, Scoring]:
    """Find of each run the scoring that counts: the newest, if it is finished, or was by then."""
    if until is None:
        counted = Scoring.objects.filter(run__in=[run.pk for run in runs.values() if run.state in SCORED])
    else:
        counted = Scoring.objects.filter(run__in=runs, finished_at__lt=until)
    newest = counted.exclude(finished_at=None).order_by("run_id", "-number").distinct("run_id")
    newest = newest.only("run_id", "number", "finished_at")
    found = {scoring.run_id: scoring for scoring in newest}
    for key, scoring in found.items():
        scoring.run = runs[key]
        scoring.run.version = version
    return found


def _rows(
    version: Version,
    scorings: Mapping[int, Scoring],
    entries: Mapping[int, BoardEntry],
    names: Sequence[str],
    until: datetime | None,
) -> list[Row]:
    reviews = _reviews(scorings, entries, until)
    final = _final(scorings, until)
    places = ranks.of([one for one in scorings.values() if not _why(entries[one.pk], version)])
    return [
        Row(
            run=scoring.run,
            rank=places.get(scoring.pk),
            why=_why(entries[scoring.pk], version),
            final=final[key],
            figures=entries[scoring.pk].figures,
            review=reviews[key],
            cells=[entries[scoring.pk].figures["categories"].get(name) for name in names],
        )
        for key, scoring in scorings.items()
    ]


def _why(entry: BoardEntry, version: Version) -> str:
    """Say why a run has no rank, or nothing."""
    if entry.figures["overall"]["value"] is None:
        return "No answer has a score yet."
    asked = entry.figures["cases"]
    if asked < version.case_count:
        return f"Asked {asked:,} of {version.case_count:,} cases: it cannot be ranked beside the others."
    return ""


def _reviews(
    scorings: Mapping[int, Scoring], entries: Mapping[int, BoardEntry], until: datetime | None
) -> dict[int, Mapping[str, Any]]:
    if until is not None:
        return {key: _as_of(one, until) for key, one in scorings.items()}
    decided = _decided([key for key, one in scorings.items() if one.run.state == State.AWAITING_REVIEW])
    states = {
        key: decided.get(key, _NOTHING) if one.run.state == State.AWAITING_REVIEW else "final"
        for key, one in scorings.items()
    }
    for key, scoring in scorings.items():
        entry = entries[scoring.pk]
        if entry.review_state != states[key]:
            entry.review_state, entry.review = states[key], validations.figures(scoring.run)
            entry.save(update_fields=["review_state", "review"])
    return {key: entries[scoring.pk].review for key, scoring in scorings.items()}


def _as_of(scoring: Scoring, until: datetime) -> Mapping[str, Any]:
    """Put the review of an earlier day together; kept, for what is on record does not change."""
    name = f"as-of:{board_entries.VERSION}:{scoring.pk}:{until.isoformat()}"
    over = until < timezone.now()
    found: Mapping[str, Any] | None = cache.get(name) if over else None
    if found is None:
        found = validations.figures(scoring.run, until)
        cache.set(name, found, timeout=3600)
    return found


def _decided(runs: Collection[int]) -> dict[int | None, str]:
    """Name the state of each run's record: it changes with every decision."""
    found = Event.objects.filter(run__in=runs).values_list("run").annotate(Max("pk"), Count("pk"))
    return {run: f"{last}/{count}" for run, last, count in found}


def _final(scorings: Mapping[int, Scoring], until: datetime | None) -> dict[int, bool]:
    """Say which runs are final, or were by then; a run that needs no people is so with its scores."""
    if until is None:
        return {key: one.run.state == State.FINAL for key, one in scorings.items()}
    verbs = (Verb.FINALISED, Verb.FINALISED_ANYWAY, Verb.REOPENED)
    decided = Event.objects.filter(run__in=scorings, verb__in=verbs).order_by("pk")
    last: dict[int | None, str] = {}
    for run, verb, at in decided.values_list("run", "verb", "at"):
        last.setdefault(run, "")
        if at < until:
            last[run] = verb
    return {key: _was_final(one.run, last.get(key), until) for key, one in scorings.items()}


def _was_final(run: Run, verb: str | None, until: datetime) -> bool:
    if verb is not None:
        return verb in {Verb.FINALISED, Verb.FINALISED_ANYWAY}
    if run.reviewed_at is not None:
        return run.reviewed_at < until
    return run.state == State.FINAL


def _categories(suite: str, entries: Iterable[BoardEntry]) -> list[str]:
    """List the categories that there are, in the order of the suite's benchmarks."""
    known = dict.fromkeys(one.category for one in benchmarks.known(suite).values())
    there = {name for entry in entries for name in entry.figures["categories"]}
    return [*(name for name in known if name in there), *sorted(there - known.keys())]


def _sorted(rows: Sequence[Row], sort: str) -> list[Row]:
    """Order the rows; what is unknown comes last, whichever way round."""
    name = sort.removeprefix("-")
    key = SORTS.get(name, SORTS["rank"])
    known = sorted((row for row in rows if key(row) is not None), key=lambda row: (key(row), row.run.pk))
    unknown = sorted((row for row in rows if key(row) is None), key=lambda row: row.run.pk)
    return [*(reversed(known) if sort.startswith("-") else known), *unknown]


def _overall(row: Row) -> float | None:
    value: float | None = row.figures["overall"]["value"]
    return value


def _placed(row: Row) -> tuple[int, float] | None:
    return row.rank and (row.rank.place, -(_overall(row) or 0.0))


def _tier3(row: Row) -> float | None:
    return row.review["tier3"]["corrected"]["value"] if row.review.get("tier3") else None


def _validated(row: Row) -> float | None:
    return row.review["done"] / row.review["items"] if row.review.get("items") else None


SORTS: Mapping[str, Callable[[Row], Any]] = {
    "rank": _placed,
    "run": lambda row: row.run.name.casefold(),
    "model": lambda row: row.run.endpoint.name.casefold(),
    "phase": lambda row: row.figures["threshold"],
    "overall": _overall,
    "pass": lambda row: row.figures["pass_rate"]["value"],
    "tier3": _tier3,
    "validated": _validated,
    "finished": lambda row: row.run.finished_at,
}
