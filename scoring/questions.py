"""A run's configuration goes in; one row for every answer that it wants comes out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db import connection

from scoring.models import Case, Run, Version
from scoring.queries import CaseQuerySet
from scoring.rgb.abilities import COUNTERFACTUAL, INTEGRATION, REJECTION

_FULL_NOISE = 100
# So many names are told of those that nothing has.
_NAMED = 10


def make(run: Run) -> int:
    """Insert the rows of all answers that a run wants, in the version's order, and say how many."""
    asked = cases(run.version, run.benchmarks, run.test_ids).order_by()
    codes = asked.values_list("benchmark", flat=True).distinct()
    suite = run.version.dataset.suite
    pairs = [(code, noise) for code in codes for noise in levels(suite, code, run.noise_levels)]
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


def cases(version: Version, benchmarks: Sequence[str] = (), test_ids: Sequence[str] = ()) -> CaseQuerySet:
    """Keep the cases of a version that these benchmarks and test ids ask for; none means all."""
    found: CaseQuerySet = Case.objects.filter(memberships__version=version)
    if benchmarks:
        found = found.filter(benchmark__in=benchmarks)
    return found.filter(key__in=test_ids) if test_ids else found


def missing(version: Version, benchmarks: Sequence[str], test_ids: Sequence[str]) -> list[str]:
    """List the test ids that no case of a version has which the benchmarks ask for."""
    found = set(cases(version, benchmarks, test_ids).order_by().values_list("key", flat=True))
    return [key for key in dict.fromkeys(test_ids) if key not in found]


def refusal(names: Sequence[str]) -> str:
    """Say that nothing has these names, the first of them by name."""
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    listed = ", ".join(names[:_NAMED])
    return f"No case matches {listed}{rest}: look for them in the dataset version, or leave them out."


def levels(suite: str, benchmark: str, wanted: Iterable[int]) -> list[int]:
    """List the noise levels, in per cent, at which the cases of a benchmark are asked.

    Rejection is full noise by definition, and what tests planted errors has none; integration needs some
    documents that answer.
    """
    chosen = sorted(set(wanted)) or [0]
    if benchmark == REJECTION:
        return [_FULL_NOISE]
    if suite != "rgb" or benchmark == COUNTERFACTUAL:
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
