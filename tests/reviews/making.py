"""A run whose machine scoring has ended, without any model: answers, verdicts and scores are put there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import pytest

from reviews.models import Event
from scoring.models import (
    Case,
    Dataset,
    Endpoint,
    Membership,
    Response,
    Run,
    Score,
    Scoring,
    Verdict,
    Version,
)

MARKS = {"accuracy": 4, "completeness": 3, "practicality": 4, "clarity": 5}
_numbers = count(1)


@pytest.fixture
def marks() -> dict[str, int]:
    """Marks that every default rubric for CCoP takes."""
    return dict(MARKS)


@pytest.fixture
def make_run(db: None) -> Callable[..., Run]:
    """Make a run that awaits review, of so many answers to each benchmark."""
    return build_run


def build_run(
    answers: dict[str, int] | None = None, confidences: Sequence[float | None] = (), **more: Any
) -> Run:
    """Make a run; its Tier 3 answers have verdicts of these confidences in turn, None being unreadable."""
    number = next(_numbers)
    dataset = Dataset.objects.create(name=f"reviews-{number}", suite="ccop")
    version = Version.objects.create(
        dataset=dataset, number=1, digest="0", case_count=0, summary={}, changes={}
    )
    judge = Endpoint.objects.create(name=f"judge {number}", gateway="echo", model="judge-model")
    endpoint = Endpoint.objects.create(name=f"model {number}", gateway="echo", model="a-model")
    run = Run.objects.create(
        **{
            "name": f"run {number}",
            "version": version,
            "endpoint": endpoint,
            "judge": judge,
            "state": Run.State.AWAITING_REVIEW,
            **more,
        }
    )
    scoring = Scoring.objects.create(run=run, number=1)
    for code, size in (answers or {"B7": 3}).items():
        _add(run, scoring, code, size, confidences)
    return run


def the_event(verb: str) -> Any:
    """Find the only event of its kind."""
    return Event.objects.get(verb=verb)


def add_answers(run: Run, code: str, size: int, confidences: Sequence[float | None] = ()) -> None:
    """Add answers to a run that is there already."""
    _add(run, run.scorings.get(), code, size, confidences)


def _add(run: Run, scoring: Scoring, code: str, size: int, confidences: Sequence[float | None]) -> None:
    first = run.responses.count() + 1
    cases = [_case(run.version, code, place) for place in range(first, first + size)]
    Case.objects.bulk_create(cases)
    Membership.objects.bulk_create(
        Membership(version=run.version, case=case, position=first + at) for at, case in enumerate(cases)
    )
    responses = Response.objects.bulk_create(
        Response(
            run=run, case=case, position=first + at, state="done", content=f"Answer {first + at}, in words."
        )
        for at, case in enumerate(cases)
    )
    Score.objects.bulk_create(
        Score(scoring=scoring, response=one, values={}, details={}, pending="awaiting review")
        for one in responses
    )
    if confidences:
        Verdict.objects.bulk_create(
            _verdict(one, confidences[at % len(confidences)]) for at, one in enumerate(responses)
        )


def _case(version: Version, code: str, place: int) -> Case:
    question = f"Question {place}: what must the owner of the system do about its access logs, and when?"
    key = f"{code}-{place:03}"
    fields = {
        "test_id": key,
        "benchmark_type": code,
        "difficulty": "Low",
        "question": question,
        "expected_response": "The owner reviews the access logs every month.",
        "evaluation_criteria": {"strategy": "rubric"},
        "key_facts": ["reviews access logs", "every month", "keeps the evidence"],
    }
    return Case(
        dataset=version.dataset,
        suite="ccop",
        key=key,
        sort=f"{key}-{next(_numbers)}",
        digest=str(next(_numbers)),
        benchmark=code,
        category="Gap analysis",
        difficulty="Low",
        question=question,
        fields=fields,
    )


def _verdict(response: Response, confidence: float | None) -> Verdict:
    marks = {} if confidence is None else {key: float(value) for key, value in MARKS.items()}
    return Verdict(
        response=response,
        run=response.run,
        state="done",
        judge_model="judge-model",
        prompt_version=1,
        marks=marks,
        rationale="Sound, but incomplete.",
        confidence=confidence,
        error="" if marks else "There is no mark for accuracy.",
    )


@pytest.fixture
def erin(db: None) -> Any:
    """A third reviewer."""
    from evalportal.models import Person

    return Person.objects.create_user("erin", "erin-password", name="Erin", role="reviewer")
