"""Compared runs go in; by how much each metric differs from the first run's, question by question, comes out.

Of several answers to a question the mean counts, as everywhere in a comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from django.core.cache import cache
from django.db import connection
from numpy.typing import NDArray

from evalportal import board_entries
from evalportal.alignment import Aligned, Numbers
from evalportal.comparison import Comparison
from evalportal.stats import holm, paired_difference
from evalportal.stats.paired_difference import PairedDifference
from scoring.models import Scoring

# On more questions any difference worth a look is beyond doubt, and to read their values would take seconds.
MOST_QUESTIONS = 20_000
_KEPT_SECONDS = 3600

# By metric: a row for each run, a column for each question; NaN where there is no value.
Values = Mapping[str, NDArray[np.float64]]


def between(found: Comparison, scorings: Sequence[Scoring]) -> list[dict[str, PairedDifference]]:
    """Hold each run's metrics against the first's, with p-values corrected for how many metrics there are."""
    if found.aligned.n > MOST_QUESTIONS:
        return [{} for _ in scorings[1:]]
    order = "-".join(str(scoring.pk) for scoring in scorings)
    name = f"metrics:{order}:{board_entries.state(scorings)}"
    kept: list[dict[str, PairedDifference]] | None = cache.get(name)
    if kept is None:
        kept = _between(found.aligned, scorings)
        cache.set(name, kept, timeout=_KEPT_SECONDS)
    return kept


def _between(aligned: Aligned, scorings: Sequence[Scoring]) -> list[dict[str, PairedDifference]]:
    values = _values(aligned, scorings)
    return [_differences(values, row, aligned.clusters) for row in range(1, len(scorings))]


def _differences(values: Values, row: int, clusters: Numbers) -> dict[str, PairedDifference]:
    apart = {
        metric: paired_difference.measure(table[0], table[row], clusters=clusters)
        for metric, table in values.items()
    }
    adjusted = holm.adjust([one.p_value for one in apart.values()])
    return {
        metric: one._replace(p_value=p_value)
        for (metric, one), p_value in zip(apart.items(), adjusted, strict=True)
    }


def _values(aligned: Aligned, scorings: Sequence[Scoring]) -> Values:
    """Read each metric's value for each question."""
    asked = zip(aligned.cases.tolist(), aligned.noises.tolist(), strict=True)
    columns = {question: place for place, question in enumerate(asked)}
    rows = {scoring.pk: row for row, scoring in enumerate(scorings)}
    shape = (len(scorings), aligned.n)
    found: dict[str, NDArray[np.float64]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_VALUES, [list(rows), sorted({*aligned.cases.tolist()})])
        for scoring, case, noise, metric, mean in cursor.fetchall():
            if (column := columns.get((case, noise))) is not None:
                found.setdefault(metric, np.full(shape, np.nan))[rows[scoring], column] = mean
    return found


_VALUES = """
SELECT s.scoring_id, a.case_id, a.noise, pair.key, avg(pair.value::float8)
FROM scoring_score AS s
JOIN scoring_response AS a ON a.id = s.response_id
CROSS JOIN LATERAL jsonb_each_text(s.values) AS pair
WHERE s.scoring_id = ANY(%s) AND a.case_id = ANY(%s) AND pair.value IS NOT NULL
GROUP BY 1, 2, 3, 4
"""
