"""Responses that need a judge go in; its Verdicts come out: asked for, stored once, brought together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from psycopg import DataError
from psycopg.types.json import Jsonb

from scoring import benchmarks, endpoints, judge_rubrics, judging
from scoring.engine import claims
from scoring.engine.claims import Trouble
from scoring.engine.locks import Session
from scoring.engine.slots import Job, Lane, Outcome
from scoring.gateway_contract import Prompt, Reply, Target
from scoring.judge_rubrics import JUDGED_SUITES, JudgeRubric
from scoring.judging import Criterion, Opinion
from scoring.language.text import without_reasoning
from scoring.models import Run, Verdict
from scoring.responses import Claimed, with_system_prompt

TABLE = claims.VERDICTS
# Several votes of a judge that always says the same would be one vote.
VOTING_TEMPERATURE = 0.7
# How likely the tokens of a vote's marks were, in what is kept of the server's reply.
_OF_MARKS = "mark_certainty"


def judged_benchmarks(run: Run) -> list[str]:
    """List the benchmarks whose answers the run's judge marks; none without a judge."""
    suite = run.version.dataset.suite
    if run.judge_id is None or suite not in JUDGED_SUITES:
        return []
    known = benchmarks.known(suite)
    return [code for code, one in known.items() if suite != "ccop" or one.route == "tier3"]


def pin_rubric(run: Run) -> JudgeRubric | None:
    """Keep with a run that starts what its judge marks by: later versions are for later runs."""
    suite = run.version.dataset.suite
    if run.judge_id is None or suite not in JUDGED_SUITES:
        return None
    if not run.judge_rubric:
        run.judge_rubric = judge_rubrics.use(suite).plain
        run.save(update_fields=["judge_rubric"])
    return judge_rubrics.read(run.judge_rubric)


def request(session: Session, run: Run) -> int:
    """Make the rows of verdicts that are wanted and not there yet, and say how many were missing."""
    wanted, rubric = judged_benchmarks(run), pin_rubric(run)
    if not wanted or run.judge is None or rubric is None:
        return 0
    asked = [run.judge.model, judging.PROMPT_VERSION, rubric.label, Jsonb(rubric.asked), run.judge_votes]
    return session.execute(_REQUEST, [*asked, run.pk, wanted]).rowcount


def claim(session: Session, run: Run, asker: UUID, most: int) -> Claimed:
    """Claim the next verdicts of a run and put their prompts."""
    if run.judge is None:
        return Claimed(0, [])
    target = endpoints.target(run.judge)
    rows = session.execute(_CLAIM, [run.pk, most, asker]).fetchall()
    jobs = claims.prepared(session, TABLE, asker, sorted(rows), lambda row: _job(run, target, row))
    return Claimed(len(rows), jobs)


def store(session: Session, asker: UUID, outcomes: Sequence[Outcome]) -> None:
    """Read what the judge said and store it; what cannot be read is kept with confidence 0."""
    rows = [_values(outcome.job, outcome.reply) for outcome in outcomes if outcome.reply]
    try:
        _store(session, asker, rows)
    except (DataError, UnicodeEncodeError):
        for row in rows:
            try:
                _store(session, asker, [row])
            except (DataError, UnicodeEncodeError) as error:
                message = f"The verdict cannot be stored: {str(error).splitlines()[0]}"
                claims.fail(session, TABLE, asker, [Trouble(row[0], "bad_reply", message)])


def opinion(votes: Iterable[Verdict]) -> Opinion:
    """Bring the votes on one answer together; a vote that failed counts as one that cannot be read."""
    counted = [vote for vote in votes if vote.state in {Verdict.State.DONE, Verdict.State.FAILED}]
    return judging.combine(
        [Opinion(vote.marks, vote.rationale, vote.confidence or 0.0, vote.error) for vote in counted],
        [_certainty(vote) for vote in counted],
    )


def _certainty(vote: Verdict) -> float | None:
    value = vote.raw.get(_OF_MARKS)
    return float(value) if isinstance(value, int | float) else None


def _job(run: Run, target: Target, claimed: claims.Row) -> Job:
    row, vote, attempts, rubric, content, key, fields = claimed
    assert run.judge
    criteria = [Criterion(**criterion) for criterion in rubric]
    said = judging.prompt(fields, without_reasoning(content), criteria)
    return Job(
        lane=Lane("verdict", run.pk),
        row=row,
        target=_of_vote(target, run.judge_votes),
        prompt=Prompt(
            with_system_prompt(said, run.judge), schema=judging.schema(criteria), case_key=key, sample=vote
        ),
        attempts=attempts,
    )


def _of_vote(target: Target, votes: int) -> Target:
    """Set how a judge is asked: a single vote shall come out the same again, several shall be several."""
    given = target.parameters.get("temperature") or 0.0
    heat = given if votes == 1 else given or VOTING_TEMPERATURE
    return replace(target, parameters={**target.parameters, "temperature": heat})


def _store(session: Session, asker: UUID, rows: Sequence[tuple[Any, ...]]) -> None:
    if rows:
        session.execute(_STORE, [*(list(column) for column in zip(*rows, strict=True)), asker])


def _values(job: Job, reply: Reply) -> tuple[Any, ...]:
    names = _names(job)
    logprobs = reply.tokens.logprobs if reply.tokens else None
    certainty = judging.certainty(reply.token_texts, logprobs, names)
    found = judging.read(reply.content, names, job.prompt.messages[-1]["content"])
    found = judging.tempered(found, certainty)
    raw = dict(reply.raw) | ({} if certainty is None else {_OF_MARKS: certainty})
    return (
        job.row,
        reply.content,
        reply.finish_reason[:40],
        reply.truncated,
        reply.prompt_tokens,
        reply.completion_tokens,
        reply.latency_seconds,
        Jsonb(raw),
        Jsonb(dict(found.marks)),
        found.rationale,
        found.confidence,
        "unreadable" if found.problem else "",
        found.problem,
    )


def _names(job: Job) -> list[str]:
    assert job.prompt.schema
    return list(job.prompt.schema["properties"]["marks"]["required"])


_REQUEST = """
INSERT INTO scoring_verdict (
    state, attempts, content, finish_reason, truncated, raw, error_kind, error,
    marks, rationale, judge_model, prompt_version, rubric_version, rubric, vote, response_id, run_id
)
SELECT 'waiting', 0, '', '', false, '{}', '', '', '{}', '', %s, %s, %s, %s, vote, r.id, r.run_id
FROM scoring_response AS r
JOIN scoring_case AS c ON c.id = r.case_id
CROSS JOIN generate_series(1, %s) AS vote
WHERE r.run_id = %s AND r.state = 'done' AND c.benchmark = ANY(%s)
    AND NOT EXISTS (SELECT FROM scoring_verdict AS v WHERE v.response_id = r.id)
ORDER BY r.position, vote
ON CONFLICT (response_id, vote) DO NOTHING
"""

_CLAIM = """
WITH picked AS (
    SELECT id FROM scoring_verdict
    WHERE run_id = %s AND state = 'waiting' AND (not_before IS NULL OR not_before <= now())
    ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED
)
UPDATE scoring_verdict AS v SET state = 'asking', asker = %s
FROM picked, scoring_response AS r, scoring_case AS c
WHERE v.id = picked.id AND r.id = v.response_id AND c.id = r.case_id
RETURNING v.id, v.vote, v.attempts, v.rubric, r.content, c.key, c.fields
"""

_STORE = """
UPDATE scoring_verdict AS t SET
    state = 'done', asker = NULL, answered_at = now(), attempts = t.attempts + 1, not_before = NULL,
    content = v.content, finish_reason = v.finish_reason, truncated = v.truncated,
    prompt_tokens = v.prompt_tokens, completion_tokens = v.completion_tokens,
    latency_seconds = v.latency, raw = v.raw, marks = v.marks, rationale = v.rationale,
    confidence = v.confidence, error_kind = v.kind, error = v.problem
FROM unnest(
    %s::bigint[], %s::text[], %s::text[], %s::boolean[], %s::integer[], %s::integer[], %s::float8[],
    %s::jsonb[], %s::jsonb[], %s::text[], %s::float8[], %s::text[], %s::text[]
) AS v(
    id, content, finish_reason, truncated, prompt_tokens, completion_tokens, latency, raw, marks,
    rationale, confidence, kind, problem
), scoring_run AS run
WHERE t.id = v.id AND t.asker = %s AND t.state = 'asking' AND run.id = t.run_id AND run.state <> 'cancelled'
"""
