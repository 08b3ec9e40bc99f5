"""A number goes in; a database with so many open items, and a million marks of the past, comes out."""

from __future__ import annotations

from django.db import connection

PAST_RUNS, CASES = 13, 10_000
RUNS = 10


def make_past() -> None:
    """Make finished runs with 1,040,000 marks, and empty runs that await review."""
    from reviews import rubrics

    rubric = rubrics.use("rubric")
    with connection.cursor() as cursor:
        cursor.execute(_PEOPLE)
        cursor.execute(_CASES, {"cases": CASES})
        cursor.execute(_RUNS, {"past": PAST_RUNS, "runs": RUNS})
        cursor.execute(_RESPONSES, {"first": 1, "last": PAST_RUNS, "cases": CASES})
        cursor.execute(_ITEMS, {"rubric": rubric.pk, "past": PAST_RUNS, "last": PAST_RUNS, "slots": 2})
        cursor.execute(_REVIEWS, {"reviewers": 2, "run": None})
        cursor.execute(_MARKS)
        cursor.execute(_VACUUM)


def open_items(count: int) -> None:
    """Spread so many open items over the runs that await review."""
    from reviews.models import Rubric

    rubric = Rubric.objects.get(kind="rubric")
    first, last = PAST_RUNS + 1, PAST_RUNS + RUNS
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM reviews_place")
        cursor.execute("DELETE FROM scoring_response WHERE run_id BETWEEN %s AND %s", [first, last])
        cursor.execute(_RESPONSES, {"first": first, "last": last, "cases": count // RUNS})
        known = {"rubric": rubric.pk, "past": PAST_RUNS, "last": last, "slots": 2}
        cursor.execute(_ITEMS, known)
        cursor.execute(_VACUUM)


def clear() -> None:
    """Remove the open items and all that was marked of them."""
    first = PAST_RUNS + 1
    with connection.cursor() as cursor:
        for table, condition in (
            (
                "reviews_mark",
                "review_id IN (SELECT r.id FROM reviews_review AS r WHERE r.item_id IN ({items}))",
            ),
            ("reviews_review", "item_id IN ({items})"),
            ("reviews_assignment", "item_id IN ({items})"),
            ("reviews_reviewitem", "run_id >= {first}"),
        ):
            items = f"SELECT id FROM reviews_reviewitem WHERE run_id >= {first}"
            cursor.execute(f"DELETE FROM {table} WHERE " + condition.format(items=items, first=first))


def marked_run(answers: int, reviewers: int) -> int:
    """Make a run whose answers so many people have marked, and return its number."""
    from reviews.models import Rubric

    number = PAST_RUNS + RUNS + 1
    with connection.cursor() as cursor:
        cursor.execute(_RUNS, {"past": 0, "runs": 1})
        cursor.execute(_RESPONSES, {"first": number, "last": number, "cases": answers})
        rubric = Rubric.objects.get(kind="rubric")
        known = {"rubric": rubric.pk, "past": number, "last": number, "slots": reviewers}
        cursor.execute(_ITEMS, known)
        cursor.execute(_REVIEWS, {"reviewers": reviewers, "run": number})
        cursor.execute(_MARKS)
        cursor.execute(_VACUUM)
    return number


_VACUUM = """
VACUUM ANALYZE scoring_run, scoring_response, reviews_reviewitem, reviews_assignment, reviews_review,
    reviews_mark
"""

_PEOPLE = """
INSERT INTO evalportal_person (id, username, name, email, role, is_active, joined_at, password)
SELECT n, 'r' || n, 'Reviewer ' || n, '', 'reviewer', true, now(), '!' FROM generate_series(1, 40) AS n
"""

_CASES = """
INSERT INTO scoring_dataset (id, name, suite, created_at) VALUES (1, 'many', 'ccop', now());
INSERT INTO scoring_version (id, dataset_id, number, digest, case_count, summary, changes, created_at)
VALUES (1, 1, 1, '0', %(cases)s, '{}', '{}', now());
INSERT INTO scoring_endpoint (
    id, name, gateway, base_url, model, parameters, system_prompt, max_concurrency, timeout_seconds,
    key_variable, created_at
)
VALUES (1, 'model', 'echo', '', 'model', '{}', '', 4, 120, '', now());
INSERT INTO scoring_case (
    id, dataset_id, suite, key, sort, digest, benchmark, category, difficulty, domain, section, question,
    text, fields
)
SELECT n, 1, 'ccop', 'k' || n, 'k' || n, n, (ARRAY['B7', 'B10', 'B14', 'B16'])[1 + mod(n, 4)],
    'Gap analysis', 'Low', '', '', 'Question ' || n || repeat(' what must the owner do about logs?', 5), '',
    jsonb_build_object('expected_response', repeat('The owner reviews them every month. ', 15))
FROM generate_series(1, %(cases)s) AS n
"""

_RUNS = """
INSERT INTO scoring_run (
    name, version_id, endpoint_id, phase, benchmarks, test_ids, parameters, samples, noise_levels,
    judge_votes, seed, use_cache, reviewers, validation_share, state, reason, paused_by_portal, probes,
    summary, created_at
)
SELECT 'run', 1, 1, 'baseline', '{}', '{}', '{}', 1, '{}', 1, 0, true, 2, 0.2,
    CASE WHEN n <= %(past)s THEN 'final' ELSE 'awaiting_review' END, '', false, 0, '{}', now()
FROM generate_series(1, %(past)s + %(runs)s) AS n
"""

_RESPONSES = """
INSERT INTO scoring_response (
    run_id, case_id, sample, noise, position, state, attempts, content, finish_reason, truncated, raw,
    error_kind, error, prompt_digest, from_cache, people_marks
)
SELECT run, n, 1, 0, n, 'done', 1, repeat('The owner of the system reviews the logs every month. ', 12),
    'stop', false, '{}', '', '', '', false, '[]'
FROM generate_series(%(first)s, %(last)s) AS run, generate_series(1, %(cases)s) AS n
"""

_ITEMS = """
INSERT INTO reviews_reviewitem (
    run_id, response_id, rubric_id, kind, benchmark, reason, slots, taken, turn, returned, probability,
    stratum, mandatory, seed, state, created_at
)
SELECT r.run_id, r.id, %(rubric)s, 'rubric', c.benchmark, 'rubric', %(slots)s,
    CASE WHEN r.run_id <= %(past)s THEN %(slots)s ELSE 0 END, r.position, false, 1, c.benchmark, true, 0,
    CASE WHEN r.run_id <= %(past)s THEN 'complete' ELSE 'open' END, now()
FROM scoring_response AS r JOIN scoring_case AS c ON c.id = r.case_id
WHERE r.run_id <= %(last)s AND NOT EXISTS (SELECT FROM reviews_reviewitem AS i WHERE i.response_id = r.id)
ORDER BY r.run_id, r.position
"""

_REVIEWS = """
INSERT INTO reviews_assignment (
    item_id, person_id, state, leased_until, first_seen_at, active_seconds, draft
)
SELECT i.id, 1 + mod(i.turn + k, CASE WHEN %(run)s::int IS NULL THEN 40 ELSE %(reviewers)s END),
    'submitted', now(), now(), 60, '{}'
FROM reviews_reviewitem AS i, generate_series(1, %(reviewers)s) AS k
WHERE i.state = 'complete' AND (%(run)s::int IS NULL OR i.run_id = %(run)s);
INSERT INTO reviews_review (
    item_id, person_id, number, token, seconds, comment, flagged, blind, decision, reason, is_current,
    created_at
)
SELECT a.item_id, a.person_id, 1, '', 30 + random() * 60, '', false, true, '', '', true,
    now() - random() * interval '20 days'
FROM reviews_assignment AS a
WHERE a.state = 'submitted' AND NOT EXISTS (SELECT FROM reviews_review AS r WHERE r.item_id = a.item_id)
"""

_MARKS = """
INSERT INTO reviews_mark (review_id, criterion, value)
SELECT r.id, key, least(5, greatest(1, 2 + mod(r.item_id, 3) + CASE WHEN random() < 0.15 THEN 1 ELSE 0 END))
FROM reviews_review AS r,
    unnest(ARRAY['accuracy', 'completeness', 'practicality', 'clarity']) AS key
WHERE NOT EXISTS (SELECT FROM reviews_mark AS m WHERE m.review_id = r.id)
"""
