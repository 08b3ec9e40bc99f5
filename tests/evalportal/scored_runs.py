"""Runs that have their scores, without any model: answers and scores are put there as the tests want them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import count
from typing import Any

from django.utils import timezone

from scoring import reports
from scoring.models import Case, Dataset, Endpoint, Membership, Response, Run, Score, Scoring, Version

_numbers = count(1)
_CATEGORIES = {"B1": "Applicability & scope", "B3": "Compliance judgement", "B7": "Gap analysis"}


def make_version(size: int = 12, suite: str = "ccop", of: Version | None = None, fresh: int = 0) -> Version:
    """Make a version of so many cases in four sections; with `of`, one that shares all its cases but some."""
    if of is None:
        dataset = Dataset.objects.create(name=f"board-{next(_numbers)}", suite=suite)
        cases = [_case(dataset, number) for number in range(size)]
        Case.objects.bulk_create(cases)
    else:
        dataset = of.dataset
        changed = [_case(dataset, number) for number in range(fresh)]
        Case.objects.bulk_create(changed)
        cases = [*changed, *of.cases.order_by("memberships__position")[fresh:]]
    version = Version.objects.create(
        dataset=dataset,
        number=dataset.versions.count() + 1,
        digest=str(next(_numbers)),
        case_count=len(cases),
        summary={},
        changes={},
    )
    Membership.objects.bulk_create(
        Membership(version=version, case=case, position=place) for place, case in enumerate(cases, 1)
    )
    return version


def make_run(
    version: Version,
    overalls: Sequence[float | None],
    *,
    pending: Mapping[int, str] | None = None,
    values: Sequence[Mapping[str, float | None]] = (),
    content: Sequence[str] = (),
    noise: int = 0,
    **more: Any,
) -> Run:
    """Make a run that scored so much on the first cases of a version; None is an answer without a score."""
    number = next(_numbers)
    endpoint = more.pop("endpoint", None) or Endpoint.objects.create(
        name=f"model {number}", gateway="echo", model="a-model"
    )
    finished = more.pop("finished_at", timezone.now())
    plain = {"name": f"run {number}", "state": Run.State.FINAL, "finished_at": finished}
    run = Run.objects.create(version=version, endpoint=endpoint, **plain | more)
    responses = Response.objects.bulk_create(
        Response(
            run=run,
            case=case,
            noise=noise,
            position=place,
            state="done",
            content=content[place] if content else f"Answer {place}.",
            latency_seconds=0.5 + place / 100,
            prompt_tokens=100,
            completion_tokens=20 + place,
        )
        for place, case in zip(
            range(len(overalls)), version.cases.order_by("memberships__position"), strict=False
        )
    )
    add_scoring(run, responses, overalls, finished, pending=pending or {}, values=values)
    return run


def add_scoring(
    run: Run,
    responses: Sequence[Response],
    overalls: Sequence[float | None],
    finished: datetime,
    *,
    pending: Mapping[int, str] | None = None,
    values: Sequence[Mapping[str, float | None]] = (),
) -> Scoring:
    """Score a run's answers, once more if they were scored before."""
    scoring = Scoring.objects.create(run=run, number=run.scorings.count() + 1, finished_at=finished)
    Score.objects.bulk_create(
        Score(
            scoring=scoring,
            response=response,
            overall=None if place in (pending or {}) else overall,
            passed=None if overall is None else overall >= 0.15,
            pending=(pending or {}).get(place, ""),
            values=values[place] if values else {},
            details={},
        )
        for place, (response, overall) in enumerate(zip(responses, overalls, strict=True))
    )
    run.summary = reports.summarise(run)
    run.save(update_fields=["summary"])
    return scoring


def _case(dataset: Dataset, number: int) -> Case:
    code = ("B1", "B3", "B7")[number % 3] if dataset.suite == "ccop" else _BENCHMARKS[dataset.suite]
    key = f"{code}-{number + 1:03}"
    return Case(
        dataset=dataset,
        suite=dataset.suite,
        key=key,
        sort=key,
        digest=str(next(_numbers)),
        benchmark=code,
        category=_CATEGORIES.get(code, "All"),
        difficulty=("Low", "High")[number % 2],
        section=f"Section {number % 4}",
        question=f"Question {number}: what must the owner of the system do about its access logs?",
        fields={"test_id": key},
    )


_BENCHMARKS = {"rgb": "noise_robustness", "cybersec": "cybersecurity_answers"}
