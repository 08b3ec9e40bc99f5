"""A run's configuration goes in; one row for every answer that it wants comes out."""

from __future__ import annotations

from django.db import connection

from scoring.models import Case, Run
from scoring.queries import CaseQuerySet
from scoring.rgb.abilities import COUNTERFACTUAL, INTEGRATION, REJECTION

_FULL_NOISE = 100


def make(run: Run) -> int:
    """Insert the rows of all answers that a run wants, in the version's order, and say how many."""
    chosen = cases(run).order_by().values_list("benchmark", flat=True).distinct()
    pairs = [(code, noise) for code in chosen for noise in levels(run, code)]
    with connection.cursor() as cursor:
        cursor.execute(
            _INSERT,
            {
                "run": run.pk,
                "version": run.version_id,
                "samples": run.samples,
                "codes": [code for code, _ in pairs],
                "levels": [noise for _, noise in pairs],
                "keys": list(run.test_ids) or None,
            },
        )
        return int(cursor.rowcount)


def cases(run: Run) -> CaseQuerySet:
    """Keep the cases of the run's version that its benchmarks and test ids ask for."""
    found: CaseQuerySet = Case.objects.filter(memberships__version=run.version_id)
    if run.benchmarks:
        found = found.filter(benchmark__in=run.benchmarks)
    if run.test_ids:
        found = found.filter(key__in=run.test_ids)
    return found


def levels(run: Run, benchmark: str) -> list[int]:
    """List the noise levels, in per cent, at which the cases of a benchmark are asked.

    Rejection is full noise by definition, and what tests planted errors has none; integration needs some
    documents that answer.
    """
    chosen = sorted(set(run.noise_levels)) or [0]
    if benchmark == REJECTION:
        return [_FULL_NOISE]
    if run.version.dataset.suite != "rgb" or benchmark == COUNTERFACTUAL:
        return [0]
    if benchmark == INTEGRATION:
        return [level for level in chosen if level < _FULL_NOISE] or [0]
    return chosen


_INSERT = """
INSERT INTO scoring_response (
    run_id, case_id, sample, noise, position, state, attempts, content, finish_reason, truncated, raw,
    error_kind, error, prompt_digest, from_cache, people_marks
)
SELECT %(run)s, m.case_id, sample, wanted.noise,
    row_number() OVER (ORDER BY m.position, wanted.noise, sample),
    'waiting', 0, '', '', false, '{}', '', '', '', false, '[]'
FROM scoring_membership AS m
JOIN scoring_case AS c ON c.id = m.case_id
JOIN unnest(%(codes)s::text[], %(levels)s::integer[]) AS wanted(benchmark, noise)
    ON wanted.benchmark = c.benchmark
CROSS JOIN generate_series(1, %(samples)s) AS sample
WHERE m.version_id = %(version)s AND (%(keys)s::text[] IS NULL OR c.key = ANY(%(keys)s::text[]))
"""
