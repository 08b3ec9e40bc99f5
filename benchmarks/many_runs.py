"""Many scored runs, put into the database by the database itself: answers, scores and metrics, no model."""

from __future__ import annotations

from typing import Any


def make(runs: int, cases: int, *, prefix: str = "run") -> list[Any]:
    """Make a version of so many cases and finished runs on it, each a little better than the one before."""
    version = make_version(cases)
    return [make_run(version, number, prefix) for number in range(runs)]


def make_version(cases: int) -> Any:
    """Make a version of so many cases, in 21 benchmarks, 9 categories and 11 sections."""
    from django.db import connection

    from scoring.models import Dataset, Version

    dataset = Dataset.objects.create(name=f"many-{cases}-{Dataset.objects.count()}", suite="ccop")
    empty: dict[str, Any] = {"summary": {}, "changes": {}}
    version = Version.objects.create(dataset=dataset, number=1, digest="0", case_count=cases, **empty)
    with connection.cursor() as cursor:
        cursor.execute(_CASES, {"dataset": dataset.pk, "cases": cases, "names": _names()})
        cursor.execute(_MEMBERS, [version.pk, dataset.pk])
    return version


def make_run(version: Any, number: int, prefix: str = "run") -> Any:
    """Make one finished run, with its summary."""
    from django.db import connection
    from django.utils import timezone

    from scoring import reports
    from scoring.models import Endpoint, Run, Scoring

    endpoint, _ = Endpoint.objects.get_or_create(name=f"model {number % 40}", gateway="echo", model="echo")
    now = timezone.now()
    run = Run.objects.create(
        name=f"{prefix} {number}", version=version, endpoint=endpoint, state=Run.State.FINAL, finished_at=now
    )
    scoring = Scoring.objects.create(run=run, number=1, finished_at=now)
    with connection.cursor() as cursor:
        cursor.execute(_RESPONSES, [run.pk, version.pk])
        cursor.execute(_SCORES, {"scoring": scoring.pk, "run": run.pk, "skill": number / 1000})
    run.summary = reports.summarise(run)
    run.save(update_fields=["summary"])
    return run


def _names() -> list[str]:
    from scoring import benchmarks

    return list(dict.fromkeys(one.category for one in benchmarks.known("ccop").values()))


_CASES = """
INSERT INTO scoring_case (
    dataset_id, suite, key, sort, digest, benchmark, category, difficulty, domain, section, question, text,
    fields
)
SELECT %(dataset)s, 'ccop', 'B' || 1 + n %% 21 || '-' || n, lpad(n::text, 8, '0'), n::text,
    'B' || 1 + n %% 21,
    (%(names)s::text[])[1 + n %% 21 * 9 / 21], (ARRAY['Low', 'Medium', 'High', 'Critical'])[1 + n %% 4], '',
    'Section ' || n %% 11, 'Question ' || n || ': what must the owner do about the logs?', '', '{}'
FROM generate_series(1, %(cases)s) AS n
"""

_MEMBERS = """
INSERT INTO scoring_membership (version_id, case_id, position)
SELECT %s, id, row_number() OVER (ORDER BY sort) FROM scoring_case WHERE dataset_id = %s
"""

_RESPONSES = """
INSERT INTO scoring_response (
    run_id, case_id, sample, noise, position, state, attempts, content, finish_reason, truncated,
    prompt_tokens, completion_tokens, latency_seconds, raw, error_kind, error, prompt_digest, from_cache,
    people_marks
)
SELECT %s, case_id, 1, 0, position, 'done', 1, 'The owner reviews the logs, answer ' || position || '.',
    'stop', false, 120, 40, 0.2 + random(), '{}', '', '', '', false, '[]'
FROM scoring_membership WHERE version_id = %s
"""

_SCORES = """
INSERT INTO scoring_score (
    scoring_id, response_id, overall, machine_overall, passed, pending, fabricated, flags, "values", details
)
SELECT %(scoring)s, a.id, s.overall, s.overall, s.overall >= 0.15, '', false, '{}',
    jsonb_build_object(
        'key_fact_recall', s.overall, 'semantic_equivalence', random(), 'grounding', 1, 'concision', random(),
        'label_match', null, 'terminology_accuracy', random(), 'citation_accuracy', random(),
        'violation_detection', random()
    ), '{}'
FROM scoring_response AS a
CROSS JOIN LATERAL (
    SELECT least(1, greatest(0, 0.35 + %(skill)s + 0.3 * sin(a.case_id) + 0.3 * (random() - 0.5))) AS overall
) AS s
WHERE a.run_id = %(run)s
"""
