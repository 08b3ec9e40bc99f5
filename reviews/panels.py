"""A run goes in; the marks of its reviewers come out as the panels that statistics of agreement read."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
from django.conf import settings
from django.db import connection
from numpy.typing import NDArray

from reviews.models import Adjudication, Criterion
from reviews.stats.panel import NOT_MARKED, SCALE, Panel
from scoring.models import Run

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """All current marks of one kind in a run: a panel, and the benchmark of each of its answers."""

    panel: Panel
    benchmarks: NDArray[np.str_]

    def of_benchmark(self, code: str) -> Panel:
        """Keep the answers of one benchmark."""
        return self.panel.of_answers(self.benchmarks == code)


def load(run: Run, kind: str) -> Marks:
    """Read the marks of a run by one kind of rubric; those of calibration rounds were given to learn."""
    names = _criteria(run, kind)
    with connection.cursor() as cursor:
        cursor.execute(_MARKS, {"run": run.pk, "kind": kind, "names": list(names)})
        items, people, criteria, values = cursor.fetchone() or (None,) * 4
    answers, answer = _axis(items)
    reviewers, reviewer = _axis(people)
    codes = np.full((len(answers), len(names), len(reviewers)), NOT_MARKED, dtype=np.int8)
    codes[answer, np.array(criteria or (), dtype=np.int64), reviewer] = np.array(values or (), dtype=np.int8)
    panel = Panel(codes, answers, names, reviewers, SCALE, np.ones(len(answers)))
    of_item = dict(run.review_items.filter(kind=kind).values_list("pk", "benchmark"))
    return Marks(panel, np.array([of_item[item] for item in answers], dtype=np.str_))


def settled(run: Run, panel: Panel) -> Panel:
    """Put what was settled in the place of the marks that it settles."""
    place = {answer: at for at, answer in enumerate(panel.answers)}
    codes = panel.codes.copy()
    rows = Adjudication.objects.filter(item__run=run, item__calibration=None).order_by("pk")
    for item, marks in rows.values_list("item_id", "marks"):
        if (at := place.get(item)) is not None:
            _replace(codes[at], panel.criteria, marks)
    return replace(panel, codes=codes)


@dataclass(frozen=True, slots=True)
class Day:
    """A reviewer's marks of one day."""

    day: date
    reviewer: int
    reviews: int
    mean: float


def by_day(run: Run) -> list[Day]:
    """Give each reviewer's number of reviews and mean mark, day by day, as the days are where they work."""
    with connection.cursor() as cursor:
        cursor.execute(_BY_DAY, [settings.TIME_ZONE, run.pk])
        return [Day(*row) for row in cursor.fetchall()]


def times(run: Run) -> tuple[list[tuple[int, int, float]], dict[Hashable, int]]:
    """Give (reviewer, item, seconds) of every timed review, and how many words each item's answer has."""
    with connection.cursor() as cursor:
        cursor.execute(_TIMES, [run.pk])
        took = [(person, item, seconds) for person, item, seconds in cursor.fetchall()]
        cursor.execute(_WORDS, [run.pk])
        return took, dict(cursor.fetchall())


def _criteria(run: Run, kind: str) -> tuple[str, ...]:
    """List the criteria by which a run was marked, in the order of its rubrics."""
    used = Criterion.objects.filter(rubric__in=run.review_items.filter(kind=kind).values("rubric"))
    return tuple(dict.fromkeys(used.order_by("rubric__version", "position").values_list("key", flat=True)))


def _axis(numbers: list[int] | None) -> tuple[tuple[int, ...], Numbers]:
    """Give the distinct numbers, and the place of each one among them."""
    found, place = np.unique(np.array(numbers or (), dtype=np.int64), return_inverse=True)
    return tuple(found.tolist()), place


def _replace(codes: NDArray[np.int8], criteria: tuple[object, ...], marks: Mapping[str, int]) -> None:
    for at, name in enumerate(criteria):
        if (mark := marks.get(str(name))) is not None:
            codes[at][codes[at] != NOT_MARKED] = mark - 1


_MARKS = """
SELECT array_agg(i.id), array_agg(r.person_id),
    array_agg(array_position(%(names)s::text[], m.criterion::text) - 1), array_agg(m.value - 1)
FROM reviews_reviewitem AS i
JOIN reviews_review AS r ON r.item_id = i.id AND r.is_current
JOIN reviews_mark AS m ON m.review_id = r.id
WHERE i.run_id = %(run)s AND i.kind = %(kind)s AND i.calibration_id IS NULL
"""

_BY_DAY = """
SELECT day, person, count(*), avg(mean)::float8 FROM (
    SELECT (r.created_at AT TIME ZONE %s)::date AS day, r.person_id AS person, avg(m.value) AS mean
    FROM reviews_reviewitem AS i
    JOIN reviews_review AS r ON r.item_id = i.id AND r.is_current
    JOIN reviews_mark AS m ON m.review_id = r.id
    WHERE i.run_id = %s GROUP BY r.id
) AS reviews
GROUP BY 1, 2 ORDER BY 1, 2
"""

_TIMES = """
SELECT r.person_id, i.id, r.seconds FROM reviews_reviewitem AS i
JOIN reviews_review AS r ON r.item_id = i.id AND r.is_current
WHERE i.run_id = %s AND r.seconds IS NOT NULL
"""

_WORDS = """
SELECT i.id, 1 + length(a.content) - length(replace(a.content, ' ', ''))
FROM reviews_reviewitem AS i JOIN scoring_response AS a ON a.id = i.response_id
WHERE i.run_id = %s AND i.taken > 0
"""
