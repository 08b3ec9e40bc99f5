"""Cases of a run go in as prompts; the model's replies come out as Responses, each stored once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple
from uuid import UUID

from psycopg import DataError
from psycopg.types.json import Jsonb

from scoring import endpoints, parameters, registry
from scoring.engine import claims
from scoring.engine.claims import Trouble
from scoring.engine.locks import Session
from scoring.engine.slots import Job, Lane, Outcome
from scoring.gateway_contract import AnswerScores, Prompt, Reply, Target
from scoring.models import Endpoint, Run

TABLE = claims.RESPONSES
# What was recorded or scripted is at hand anyway, and does not follow from the prompt.
_NEVER_CACHED = frozenset({"echo", "recorded"})


class Claimed(NamedTuple):
    """How many rows were claimed, and those of them that must be asked."""

    rows: int
    jobs: list[Job]


def claim(session: Session, run: Run, asker: UUID, most: int) -> Claimed:
    """Claim the next rows of a run; those that the cache can answer are answered on the spot."""
    asked = parameters_for(run.version.dataset.suite, run.endpoint, run.parameters)
    target = endpoints.target(run.endpoint, asked, base=run.base)
    rows = session.execute(_CLAIM, [run.pk, most, asker]).fetchall()
    jobs = claims.prepared(session, TABLE, asker, sorted(rows), lambda row: _job(run, target, row))
    if run.use_cache and jobs and run.endpoint.gateway not in _NEVER_CACHED:
        known = _from_cache(session, asker, jobs)
        jobs = [job for job in jobs if job.row not in known]
    return Claimed(len(rows), jobs)


def parameters_for(suite: str, endpoint: Endpoint, own: Mapping[str, Any]) -> dict[str, Any]:
    """Join what an endpoint and a run say of how to ask, and token scores where the suite wants them."""
    given = {**endpoint.parameters, **own}
    wanted = registry.plugin("scoring.suites", suite).WANTS_TOKEN_SCORES
    return parameters.with_token_scores(given) if wanted else given


def messages(run: Run, fields: Mapping[str, Any], noise: int) -> list[dict[str, str]]:
    """Put a case as the run puts it: the suite's messages, with the endpoint's system prompt before them."""
    suite = registry.plugin("scoring.suites", run.version.dataset.suite)
    made: list[dict[str, str]] = suite.prompts(fields, noise=noise / 100, seed=run.seed)
    return with_system_prompt(made, run.endpoint)


def with_system_prompt(made: list[dict[str, str]], endpoint: Endpoint) -> list[dict[str, str]]:
    """Put what an endpoint always says first; a chat has one system message at most."""
    first = endpoint.system_prompt.strip()
    if not first:
        return made
    if made and made[0]["role"] == "system":
        return [{"role": "system", "content": f"{first}\n\n{made[0]['content']}"}, *made[1:]]
    return [{"role": "system", "content": first}, *made]


def store(session: Session, asker: UUID, outcomes: Sequence[Outcome]) -> None:
    """Store replies in one statement: rows that this asker still holds, of runs that go on."""
    rows = [(outcome.job, outcome.reply) for outcome in outcomes if outcome.reply]
    try:
        _store(session, asker, rows)
    except (DataError, UnicodeEncodeError):
        _store_one_by_one(session, asker, rows)


def token_scores(stored: Mapping[str, Any] | None) -> AnswerScores | None:
    """Give stored token scores back as they were."""
    return AnswerScores(**stored) if stored else None


def _job(run: Run, target: Target, claimed: claims.Row) -> Job:
    row, sample, noise, attempts, key, fields = claimed
    said = messages(run, fields, noise)
    return Job(
        lane=Lane("response", run.pk),
        row=row,
        target=target,
        prompt=Prompt(said, case_key=key, sample=sample, noise=noise / 100),
        digest=_digest(run.endpoint.gateway, target, said, sample),
        attempts=attempts,
    )


def _digest(gateway: str, target: Target, said: list[dict[str, str]], sample: int) -> str:
    known = [
        gateway,
        target.base_url,
        target.model,
        target.parameters,
        target.extra.get("base"),
        said,
        sample,
    ]
    return hashlib.sha256(json.dumps(known, sort_keys=True, default=str).encode()).hexdigest()


def _from_cache(session: Session, asker: UUID, jobs: Sequence[Job]) -> set[int]:
    found = session.execute(
        _COPY, [[job.row for job in jobs], [job.digest for job in jobs], asker]
    ).fetchall()
    return {row for (row,) in found}


def _store(session: Session, asker: UUID, rows: Sequence[tuple[Job, Reply]]) -> None:
    if rows:
        columns = [list(column) for column in zip(*(_values(job, reply) for job, reply in rows), strict=True)]
        session.execute(_STORE, [*columns, asker])


def _store_one_by_one(session: Session, asker: UUID, rows: Sequence[tuple[Job, Reply]]) -> None:
    """Find the reply that the database does not take, and store the others."""
    for job, reply in rows:
        try:
            _store(session, asker, [(job, reply)])
        except (DataError, UnicodeEncodeError) as error:
            message = f"The reply cannot be stored: {str(error).splitlines()[0]}"
            claims.fail(session, TABLE, asker, [Trouble(job.row, "bad_reply", message)])


def _values(job: Job, reply: Reply) -> tuple[Any, ...]:
    return (
        job.row,
        job.digest,
        reply.content,
        reply.finish_reason[:40],
        reply.truncated,
        reply.prompt_tokens,
        reply.completion_tokens,
        reply.latency_seconds,
        Jsonb(_raw(reply)),
        Jsonb(_scores(reply.tokens)) if reply.tokens else None,
    )


def _raw(reply: Reply) -> dict[str, Any]:
    raw = dict(reply.raw)
    if reply.notes:
        raw["notes"] = list(reply.notes)
    if reply.reasoning:
        raw["reasoning"] = reply.reasoning
    return raw


def _scores(tokens: AnswerScores) -> dict[str, Any]:
    """Keep what can be stored; logits are used up in the gateway."""
    known = asdict(replace(tokens, logits=None, base_logits=None))
    return {name: value for name, value in known.items() if value is not None}


_CLAIM = """
WITH picked AS (
    SELECT id FROM scoring_response
    WHERE run_id = %s AND state = 'waiting' AND (not_before IS NULL OR not_before <= now())
    ORDER BY position LIMIT %s FOR UPDATE SKIP LOCKED
)
UPDATE scoring_response AS r SET state = 'asking', asker = %s
FROM picked, scoring_case AS c WHERE r.id = picked.id AND c.id = r.case_id
RETURNING r.id, r.sample, r.noise, r.attempts, c.key, c.fields
"""

_COPY = """
UPDATE scoring_response AS r SET
    state = 'done', asker = NULL, from_cache = true, answered_at = now(), prompt_digest = v.digest,
    content = o.content, finish_reason = o.finish_reason, truncated = o.truncated,
    prompt_tokens = o.prompt_tokens, completion_tokens = o.completion_tokens,
    latency_seconds = o.latency_seconds, raw = o.raw, token_scores = o.token_scores,
    error_kind = '', error = '', not_before = NULL
FROM unnest(%s::bigint[], %s::text[]) AS v(id, digest)
CROSS JOIN LATERAL (
    SELECT * FROM scoring_response WHERE prompt_digest = v.digest AND state = 'done' LIMIT 1
) AS o
WHERE r.id = v.id AND r.asker = %s AND r.state = 'asking'
RETURNING r.id
"""

_STORE = """
UPDATE scoring_response AS r SET
    state = 'done', asker = NULL, answered_at = now(), attempts = r.attempts + 1, from_cache = false,
    prompt_digest = v.digest, content = v.content, finish_reason = v.finish_reason,
    truncated = v.truncated, prompt_tokens = v.prompt_tokens, completion_tokens = v.completion_tokens,
    latency_seconds = v.latency, raw = v.raw, token_scores = v.tokens,
    error_kind = '', error = '', not_before = NULL
FROM unnest(
    %s::bigint[], %s::text[], %s::text[], %s::text[], %s::boolean[], %s::integer[], %s::integer[],
    %s::float8[], %s::jsonb[], %s::jsonb[]
) AS v(id, digest, content, finish_reason, truncated, prompt_tokens, completion_tokens, latency, raw, tokens),
scoring_run AS run
WHERE r.id = v.id AND r.asker = %s AND r.state = 'asking' AND run.id = r.run_id AND run.state <> 'cancelled'
"""
