"""A scoring of CyberSecLLM answers goes in; each metric's mean, its interval and its band come out."""

from __future__ import annotations

import math
from typing import NamedTuple

from django.db import connection

from evalportal.stats import mean_interval
from reviews.stats import t_distribution
from scoring import handbook, registry
from scoring.models import Scoring
from scoring.statistic import Statistic
from scoring.suites import cybersec

_LEVEL = 0.95


class Trait(NamedTuple):
    """One metric: its mean over the questions, the band that the mean falls into, and how many lack it."""

    metric: str
    label: str
    direction: str
    mean: Statistic
    band: str
    bands: list[str]
    undefined: int


def measure(scoring: Scoring) -> list[Trait]:
    """Measure every metric, in the order of the suite; several answers to a question count as one."""
    with connection.cursor() as cursor:
        cursor.execute(_METRICS, [scoring.pk])
        rows = {name: values for name, *values in cursor.fetchall()}
    return [_trait(name, *rows.get(name, (0, None, None, 0))) for name in cybersec.WEIGHTS]


def _trait(name: str, count: int, mean: float | None, spread: float | None, undefined: int) -> Trait:
    module = registry.plugin(handbook.METRICS, name)
    return Trait(
        metric=name,
        label=registry.label(module),
        direction=module.DIRECTION,
        mean=_mean(count, mean, spread),
        band=handbook.band(module, mean),
        bands=[f"{band.label} {band.edge}" for band in module.BANDS if math.isfinite(band.start)],
        undefined=undefined,
    )


def _mean(count: int, mean: float | None, spread: float | None) -> Statistic:
    if mean is None:
        return Statistic(None, reason="It is undefined on every answer.")
    if count == 1 or not spread:
        reason = mean_interval.ONE_SCORE if count == 1 else mean_interval.ALL_EQUAL
        return Statistic(mean, n=count, reason=reason)
    margin = t_distribution.critical(_LEVEL, count - 1) * spread / math.sqrt(count)
    return Statistic(mean, mean - margin, mean + margin, count)


_METRICS = """
SELECT key, count(mean), avg(mean), stddev_samp(mean), sum(undefined)::int
FROM (
    SELECT pair.key, r.case_id, avg(pair.value::float8) AS mean, count(*) - count(pair.value) AS undefined
    FROM scoring_score AS s
    JOIN scoring_response AS r ON r.id = s.response_id
    CROSS JOIN LATERAL jsonb_each_text(s.values) AS pair
    WHERE s.scoring_id = %s GROUP BY pair.key, r.case_id
) AS questions
GROUP BY key
"""
