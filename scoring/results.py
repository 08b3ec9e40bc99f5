"""A run goes in; its results come out as plain data: each with case, response, metrics and verdicts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from scoring import phases, responses, scorings
from scoring.models import Response, Run, Score, Verdict


def document(run: Run) -> dict[str, Any]:
    """Put a whole run into one document."""
    return {"run": about(run), "summary": run.summary, "results": list(each(run))}


def about(run: Run) -> dict[str, Any]:
    """Say what was run, on what, and how it ended."""
    return {
        "id": run.pk,
        "name": run.name,
        "state": run.state,
        "reason": run.reason,
        "dataset": run.version.dataset.name,
        "version": run.version.number,
        "suite": run.version.dataset.suite,
        "model": run.endpoint.model,
        "endpoint": run.endpoint.name,
        "judge": run.judge.name if run.judge else None,
        "judge_model": run.judge.model if run.judge else None,
        "judge_votes": run.judge_votes,
        "base": run.base.name if run.base else None,
        "benchmarks": list(run.benchmarks),
        "test_ids": list(run.test_ids),
        "phase": run.phase,
        "threshold": phases.threshold(run.phase, run.threshold),
        "parameters": responses.parameters_for(run.version.dataset.suite, run.endpoint, run.parameters),
        "samples": run.samples,
        "noise_levels": [level / 100 for level in run.noise_levels],
        "seed": run.seed,
        "use_cache": run.use_cache,
        "started_at": run.started_at.isoformat() if run.started_at else None,
        "finished_at": run.finished_at.isoformat() if run.finished_at else None,
    }


def each(run: Run) -> Iterator[dict[str, Any]]:
    """Give one result after the other, in the order of asking; answers without a score are there too."""
    scoring = scorings.newest(run)
    rows = run.responses.select_related("case").defer("token_scores").order_by("position")
    batch: list[Response] = []
    for response in rows.iterator(chunk_size=500):
        batch.append(response)
        if len(batch) == 500:
            yield from _batch(batch, scoring)
            batch = []
    yield from _batch(batch, scoring)


def _batch(batch: list[Response], scoring: Any) -> Iterator[dict[str, Any]]:
    scores = {score.response_id: score for score in Score.objects.filter(scoring=scoring, response__in=batch)}
    votes: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for vote in Verdict.objects.filter(response__in=batch).order_by("vote"):
        votes[vote.response_id].append(_verdict(vote))
    return (_result(one, scores.get(one.pk), votes.get(one.pk, [])) for one in batch)


def _result(response: Response, score: Score | None, votes: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "test_case": response.case.fields,
        "response": {
            "content": response.content,
            "reasoning": response.raw.get("reasoning", ""),
            "state": response.state,
            "finish_reason": response.finish_reason,
            "truncated": response.truncated,
            "prompt_tokens": response.prompt_tokens,
            "completion_tokens": response.completion_tokens,
            "latency_seconds": response.latency_seconds,
            "error_kind": response.error_kind,
            "error": response.error,
            "notes": response.raw.get("notes", []),
        },
        "metrics": _metrics(score) if score else {},
        "overall_score": score.overall if score else None,
        "machine_score": score.machine_overall if score else None,
        "passed": score.passed if score else None,
        "verdicts": votes,
        "marks": response.people_marks,
        "metadata": {
            "test_id": response.case.key,
            "benchmark": response.case.benchmark,
            "category": response.case.category,
            "difficulty": response.case.difficulty,
            "sample": response.sample,
            "noise": response.noise / 100,
            "from_cache": response.from_cache,
            "attempts": response.attempts,
            "pending": score.pending if score else "",
            "fabricated": score.fabricated if score else False,
            "flags": list(score.flags) if score else [],
            "answered_at": response.answered_at.isoformat() if response.answered_at else None,
        },
    }


def _verdict(vote: Verdict) -> dict[str, Any]:
    return {
        "vote": vote.vote,
        "judge_model": vote.judge_model,
        "prompt_version": vote.prompt_version,
        "rubric_version": vote.rubric_version,
        "state": vote.state,
        "marks": vote.marks,
        "rationale": vote.rationale,
        "confidence": vote.confidence,
        "error_kind": vote.error_kind,
        "error": vote.error,
    }


def _metrics(score: Score) -> dict[str, dict[str, Any]]:
    return {name: {"value": value, **score.details.get(name, {})} for name, value in score.values.items()}
