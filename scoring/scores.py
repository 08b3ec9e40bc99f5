"""Responses, with the marks on them, go in; Scores with every metric's value and evidence come out."""

from __future__ import annotations

import logging
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from threading import Event
from time import monotonic
from typing import Any, cast

from django.db import connection

from scoring import benchmarks, endings, measuring, phases, registry, runs, scorings, verdicts
from scoring.engine import locks
from scoring.engine.bells import Bell, Ring
from scoring.engine.locks import Work
from scoring.language import embeddings
from scoring.measuring import Result
from scoring.models import Response, Run, Score, Scoring, Verdict
from scoring.responses import token_scores
from scoring.rows import Benchmark
from scoring.suite_contract import Suite

# How many answers are scored and stored together: as many as this time is enough for, so that a quick metric
# does not wait for the database, and a slow one does not keep finished scores back.
BATCH_SECONDS, FEWEST, MOST = 0.5, 8, 256
# For how many answers the database is asked at a time.
CHUNK = 2048
# After so long the next run has its turn.
TURN_SECONDS = 20.0

logger = logging.getLogger(__name__)


def score(run_id: int, *, ring: Ring, stopping: Event | None = None) -> bool:
    """Score what can be scored of a run; False if somebody else is scoring it already."""
    with locks.session(f"scoring of run {run_id}") as session:
        if not locks.take(session, Work.SCORING, run_id):
            return False
        finished = _score_turn(run_id, stopping or Event())
    # The lock is free before anyone is woken: otherwise they would find it taken, and leave.
    if not finished:
        ring(Bell("score", run_id))
    runs.advance(run_id)
    return True


def settle(response: Response, marks: Sequence[Mapping[str, float]]) -> None:
    """Keep what people marked, one mapping per person, and score the answer by it from now on."""
    response.people_marks = [dict(one) for one in marks]
    response.save(update_fields=["people_marks"])
    run = runs.get(response.run_id)
    scoring = scorings.newest(run)
    if scoring is None or response.state != Response.State.DONE:
        return
    for made in _Scorer(run, scoring).scores([response.pk]):
        fields = [field.name for field in Score._meta.concrete_fields if not field.primary_key]
        Score.objects.update_or_create(
            scoring=scoring,
            response=response,
            defaults={name: getattr(made, name) for name in fields if name not in {"scoring", "response"}},
        )


def _score_turn(run_id: int, stopping: Event) -> bool:
    """Score until nothing is left that can be scored now, or the turn is over."""
    run = runs.get(run_id)
    end = monotonic() + TURN_SECONDS
    scoring = scorings.current(run)
    scorer, size = _Scorer(run, scoring), FEWEST
    while ids := _scorable(run, scoring):
        while ids:
            if stopping.is_set() or not _wanted(run_id, scoring):
                return True
            begun = monotonic()
            batch, ids = ids[:size], ids[size:]
            Score.objects.bulk_create(scorer.scores(batch), ignore_conflicts=True)
            if monotonic() > end:
                return False
            size = _fitting(size, monotonic() - begun)
    return True


def _fitting(size: int, seconds: float) -> int:
    """Choose the next batch's size by how long this one took."""
    if seconds < BATCH_SECONDS / 2:
        return min(MOST, size * 2)
    return max(FEWEST, size // 2) if seconds > BATCH_SECONDS else size


def _wanted(run_id: int, scoring: Scoring) -> bool:
    """Say whether the run still wants this scoring: not paused, not cancelled, not scored anew."""
    under_way = Run.objects.filter(pk=run_id, state__in=Run.UNDER_WAY)
    return under_way.exists() and not Scoring.objects.filter(run=run_id, number__gt=scoring.number).exists()


def _scorable(run: Run, scoring: Scoring) -> list[int]:
    """List answers without a score that lack neither a sibling nor a verdict that may still come."""
    with connection.cursor() as cursor:
        cursor.execute(
            _SCORABLE,
            {
                "run": run.pk,
                "scoring": scoring.pk,
                "samples": run.samples,
                "judged": verdicts.judged_benchmarks(run),
                "votes": run.judge_votes,
                "most": CHUNK,
            },
        )
        return [row for (row,) in cursor.fetchall()]


class _Scorer:
    """Scores answers of one run; what all of them share is looked up once."""

    def __init__(self, run: Run, scoring: Scoring) -> None:
        self._run, self._scoring = run, scoring
        name = run.version.dataset.suite
        self._suite = cast(Suite, registry.plugin("scoring.suites", name))
        self._benchmarks: Mapping[str, Benchmark] = benchmarks.known(name)
        self._threshold = phases.threshold(run.phase, run.threshold)

    def scores(self, ids: Sequence[int]) -> list[Score]:
        """Score some answers; one that cannot be scored is kept with the reason."""
        found = list(Response.objects.filter(pk__in=ids).select_related("case").order_by("position"))
        siblings = self._siblings(found)
        votes = self._votes(ids)
        return [self._score(one, siblings.get(one.pk, ()), votes.get(one.pk, ())) for one in found]

    def _score(self, response: Response, siblings: Sequence[str], votes: Sequence[Verdict]) -> Score:
        judged = verdicts.opinion(votes) if votes else None
        opinions = [judged.marks] if judged and judged.readable else []
        made = _Made(self, response, siblings)
        try:
            result = made.by(response.people_marks or opinions)
            machine = made.by(opinions) if response.people_marks else result
        except Exception as error:  # One answer that cannot be scored must not stop the others.
            logger.exception("Not scored", extra={"run": response.run_id, "case": response.case.key})
            return self._unscored(response, f"Not scored: {type(error).__name__}: {error}")
        return Score(
            scoring=self._scoring,
            response=response,
            overall=result.overall,
            machine_overall=machine.overall,
            passed=result.passed,
            pending=result.pending,
            fabricated=result.fabricated,
            flags=[*_endings(response), *(storable(flag) for flag in result.flags)],
            values=storable(result.values),
            details=storable(result.details),
        )

    def _unscored(self, response: Response, reason: str) -> Score:
        return Score(
            scoring=self._scoring, response=response, flags=[storable(reason)], values={}, details={}
        )

    def _siblings(self, found: Iterable[Response]) -> dict[int, list[str]]:
        """Find the other answers to the same question at the same noise."""
        if self._run.samples == 1:
            return {}
        wanted = {response.case_id for response in found}
        rows = self._run.responses.filter(case__in=wanted, state=Response.State.DONE).order_by("sample")
        groups: dict[tuple[int, int], list[tuple[int, str]]] = defaultdict(list)
        for row, case, noise, content in rows.values_list("pk", "case_id", "noise", "content"):
            groups[case, noise].append((row, content))
        return {
            own: [content for row, content in group if row != own]
            for group in groups.values()
            for own, _ in group
        }

    def _votes(self, ids: Sequence[int]) -> dict[int, list[Verdict]]:
        found: dict[int, list[Verdict]] = defaultdict(list)
        for vote in Verdict.objects.filter(response__in=ids).order_by("vote"):
            found[vote.response_id].append(vote)
        return found

    def measure(self, response: Response, known: Mapping[str, Any]) -> Result:
        """Measure one answer by all that its case takes."""
        case = response.case
        return measuring.measure(
            self._suite,
            case.fields,
            self._benchmarks[case.benchmark],
            response.content,
            threshold=self._threshold,
            noise=response.noise / 100,
            embed=embeddings.embed,
            **known,
        )


class _Made:
    """One answer, to be scored by this or that set of marks."""

    def __init__(self, scorer: _Scorer, response: Response, siblings: Sequence[str]) -> None:
        self._scorer, self._response, self._siblings = scorer, response, siblings

    @cached_property
    def _tokens(self) -> Any:
        return token_scores(self._response.token_scores)

    def by(self, marks: Sequence[Mapping[str, float]]) -> Result:
        known = {"siblings": self._siblings, "tokens": self._tokens, "marks": marks}
        return self._scorer.measure(self._response, known)


def _endings(response: Response) -> Sequence[str]:
    return endings.flags(response.content, response.finish_reason, str(response.raw.get("reasoning") or ""))


def storable(value: Any) -> Any:
    """Turn a value into what JSON in PostgreSQL takes: no NUL, lone surrogate, NaN or foreign number."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return value if value.isascii() and "\0" not in value else _clean(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(storable(str(name))): storable(item) for name, item in value.items()}
    if isinstance(value, Iterable):
        return [storable(item) for item in value]
    return storable(value.item()) if hasattr(value, "item") else str(value)


def _clean(text: str) -> str:
    return text.replace("\0", "�").encode("utf-8", "replace").decode("utf-8")


_SCORABLE = """
SELECT r.id FROM scoring_response AS r
JOIN scoring_case AS c ON c.id = r.case_id
WHERE r.run_id = %(run)s AND r.state = 'done'
    AND NOT EXISTS (
        SELECT FROM scoring_score AS s WHERE s.response_id = r.id AND s.scoring_id = %(scoring)s
    )
    AND (%(samples)s = 1 OR NOT EXISTS (
        SELECT FROM scoring_response AS o
        WHERE o.run_id = r.run_id AND o.case_id = r.case_id AND o.noise = r.noise
            AND o.state IN ('waiting', 'asking')
    ))
    AND (c.benchmark <> ALL(%(judged)s::text[]) OR (
        SELECT count(*) FROM scoring_verdict AS v
        WHERE v.response_id = r.id AND v.state IN ('done', 'failed')
    ) >= %(votes)s)
ORDER BY r.position LIMIT %(most)s
"""
