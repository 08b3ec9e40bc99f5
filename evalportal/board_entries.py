"""Scorings go in; what boards need of each, kept in the database, comes out.

A page must not read millions of scores. So the figures of a scoring are computed once, when its run is
scored, and its scores are kept beside them as arrays, by which two runs are compared.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Greatest
from numpy.typing import NDArray

from evalportal.models import BoardEntry
from evalportal.stats import mean_interval, pass_rate
from scoring import phases
from scoring.models import Run, Scoring
from scoring.statistic import Statistic

# Raise it when the figures get other parts: what was kept before is then made anew.
VERSION = 1
# What a board shows of a run today: it has its scores, with or without people's marks.
SCORED = (Run.State.AWAITING_REVIEW, Run.State.FINAL)
_ARRAYS = ("cases", "noises", "clusters", "overalls")

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Scores(NamedTuple):
    """The scores of one scoring, ordered by case and noise; what is pending or not scored is not there."""

    cases: Numbers
    noises: NDArray[np.int16]
    clusters: Numbers
    overalls: NDArray[np.float64]


class _Columns(NamedTuple):
    """What a scoring holds, a column each; an overall that is not there is NaN."""

    cases: Numbers
    noises: NDArray[np.int16]
    overalls: NDArray[np.float64]
    pending: NDArray[np.str_]
    category: NDArray[np.str_]
    section: NDArray[np.str_]
    fabricated: NDArray[np.bool_]


def find(scorings: Collection[Scoring]) -> dict[int, BoardEntry]:
    """Give the entry of each scoring, by the scoring's key and without its arrays; missing ones are made."""
    kept = BoardEntry.objects.filter(scoring__in=scorings).defer(*_ARRAYS)
    found = {entry.scoring_id: entry for entry in kept}
    for scoring in scorings:
        entry = found.get(scoring.pk)
        if entry is None or not _fits(entry, scoring):
            found[scoring.pk] = _make(scoring)
    return found


def kept(run: Run) -> Mapping[str, Any] | None:
    """Give the figures of a run that are kept, without making any; None where there are none that fit."""
    found = BoardEntry.objects.filter(scoring__run=run).select_related("scoring").defer(*_ARRAYS)
    entry = found.order_by("-scoring__number").first()
    if entry is None:
        return None
    entry.scoring.run = run
    return entry.figures if _fits(entry, entry.scoring) else None


def counted() -> QuerySet[Scoring]:
    """List the scorings that boards show today: of every run that has its scores the newest finished one."""
    finished = Scoring.objects.filter(finished_at__isnull=False)
    later = finished.filter(run=OuterRef("run"), number__gt=OuterRef("number"))
    return finished.filter(~Exists(later), run__state__in=SCORED)


def stale() -> QuerySet[Scoring]:
    """List the scorings that boards show, and that have no entry or one that does not fit."""
    kept = BoardEntry.objects.filter(
        scoring=OuterRef("pk"),
        version=VERSION,
        finished_at=Greatest(OuterRef("finished_at"), OuterRef("run__finished_at")),
    )
    return counted().filter(~Exists(kept)).order_by("pk")


def scores(scorings: Collection[Scoring]) -> dict[int, Scores]:
    """Give the scores of each scoring, by the scoring's key."""
    find(scorings)
    kept = BoardEntry.objects.filter(scoring__in=scorings).values_list("scoring_id", *_ARRAYS)
    return {key: _unpacked(*arrays) for key, *arrays in kept}


def state(scorings: Iterable[Scoring]) -> str:
    """Name a set of scorings as they stand: the same name, the same scores."""
    names = sorted(f"{scoring.pk}:{_finished(scoring).isoformat()}" for scoring in scorings)
    return hashlib.sha256("\n".join(names).encode()).hexdigest()


def bounded(mean: Statistic, suite: str) -> Statistic:
    """Cut an interval to where a mean can lie; the combined score alone has no such bounds."""
    return mean if suite == "cybersec" else mean.clipped(0.0, 1.0)


def _fits(entry: BoardEntry, scoring: Scoring) -> bool:
    return entry.version == VERSION and entry.finished_at == _finished(scoring)


def _finished(scoring: Scoring) -> datetime:
    """Say when the scores were last complete."""
    # Answers that are asked again are scored in the same scoring, and the run is then finished anew.
    return max(moment for moment in (scoring.finished_at, scoring.run.finished_at) if moment)


def _make(scoring: Scoring) -> BoardEntry:
    columns, suite = _read(scoring), scoring.run.version.dataset.suite
    clusters = _clusters(columns, suite)
    counts = ~np.isnan(columns.overalls) & (columns.pending == "")
    scores = Scores(columns.cases, columns.noises, clusters, columns.overalls)
    entry, _ = BoardEntry.objects.update_or_create(
        scoring=scoring,
        defaults={
            "version": VERSION,
            "finished_at": _finished(scoring),
            "figures": _figures(scoring, columns, clusters, counts),
            "review_state": "",
            "review": {},
            **{name: getattr(scores, name)[counts].tobytes() for name in _ARRAYS},
        },
    )
    return entry


def _figures(scoring: Scoring, columns: _Columns, clusters: Numbers, counts: Mask) -> dict[str, Any]:
    limit = phases.threshold(scoring.run.phase, scoring.run.threshold)
    suite = scoring.run.version.dataset.suite

    def mean(chosen: Mask) -> dict[str, Any]:
        found = mean_interval.measure(columns.overalls[chosen], clusters=clusters[chosen])
        return asdict(bounded(found, suite))

    passed = columns.overalls[counts] >= limit - phases.SLACK
    return {
        "overall": mean(counts),
        "pass_rate": asdict(pass_rate.measure(passed, clusters=clusters[counts])),
        "threshold": limit,
        "categories": {
            str(name): mean(counts & (columns.category == name)) for name in np.unique(columns.category)
        },
        "scored": int(counts.sum()),
        "pending": dict(Counter(columns.pending[columns.pending != ""].tolist())),
        "not_scored": int((np.isnan(columns.overalls) & (columns.pending == "")).sum()),
        "fabricated": int(columns.fabricated.sum()),
        **_asked(scoring),
    }


def _clusters(columns: _Columns, suite: str) -> Numbers:
    """Name what a score shares with others: the section of the Code, or the question itself."""
    if suite != "ccop":
        return columns.cases
    names, place = np.unique(columns.section, return_inverse=True)
    numbers = np.array([_number(name) if name else 0 for name in names.tolist()], dtype=np.int64)
    shared = numbers[place] if len(place) else columns.cases
    return np.where(columns.section == "", columns.cases, shared)


@lru_cache(maxsize=10_000)
def _number(section: str) -> int:
    """Turn a section into a number below 0, which is no case's, the same one in every run."""
    return -1 - int.from_bytes(hashlib.sha256(section.encode()).digest()[:7], "big")


def _unpacked(cases: bytes, noises: bytes, clusters: bytes, overalls: bytes) -> Scores:
    return Scores(
        np.frombuffer(cases, dtype=np.int64),
        np.frombuffer(noises, dtype=np.int16),
        np.frombuffer(clusters, dtype=np.int64),
        np.frombuffer(overalls, dtype=np.float64),
    )


def _read(scoring: Scoring) -> _Columns:
    with connection.cursor() as cursor:
        cursor.execute(_SCORES, [scoring.pk])
        rows = cursor.fetchall()
    columns = list(zip(*rows, strict=True)) or [()] * len(_Columns._fields)
    kinds = (np.int64, np.int16, np.float64, np.str_, np.str_, np.str_, np.bool_)
    return _Columns(*(np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)))


def _asked(scoring: Scoring) -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute(_ASKED, [scoring.run_id])
        cases, answers, failed = cursor.fetchone() or (0, 0, 0)
    return {"cases": cases, "answers": answers, "failed": failed}


_SCORES = """
SELECT a.case_id, a.noise, s.overall, s.pending, c.category, c.section, s.fabricated
FROM scoring_score AS s
JOIN scoring_response AS a ON a.id = s.response_id
JOIN scoring_case AS c ON c.id = a.case_id
WHERE s.scoring_id = %s ORDER BY a.case_id, a.noise, a.sample
"""

_ASKED = """
SELECT count(DISTINCT case_id), count(*), count(*) FILTER (WHERE state = 'failed')
FROM scoring_response WHERE run_id = %s
"""
