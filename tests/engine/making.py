"""What the engine's tests run: datasets of many short cases, endpoints at the mock, runs of both."""

from __future__ import annotations

from itertools import count
from typing import Any

from scoring import runs
from scoring.models import Case, Dataset, Endpoint, Membership, Run, Version

_numbers = count(1)

CCOP = {
    "section": "5",
    "difficulty": "Low",
    "expected_response": "The owner reviews the access logs every month.",
    "evaluation_criteria": {"strategy": "reasoning"},
    "key_facts": ["reviews access logs", "every month", "keeps the evidence"],
}


def fields(suite: str, number: int, benchmark: str, words: str = "") -> dict[str, Any]:
    question = f"Question {number}: what must the owner of the system do about its logs? "
    question = (question + words.format(number=number)).strip()
    if suite == "ccop":
        known = {"test_id": f"{benchmark}-{number:03}", "benchmark_type": benchmark}
        return {**CCOP, **known, "question": question}
    if suite == "rgb":
        documents = [f"Document {number}.{index} says that the port is 443." for index in range(8)]
        given = {"positive": documents, "negative": documents}
        return {"id": number, "query": question, "answer": "443", **given}
    return {"id": str(number), "question": question}


def version(
    size: int, suite: str = "ccop", benchmark: str = "B3", words: str = "", broken: int = 0
) -> Version:
    """Make a dataset with one version of so many cases, one of which may be broken."""
    dataset = Dataset.objects.create(name=f"dataset-{next(_numbers)}", suite=suite)
    made = Version.objects.create(
        dataset=dataset, number=1, digest="0", case_count=size, summary={}, changes={}
    )
    cases = [_case(dataset, number, benchmark, words) for number in range(1, size + 1)]
    if broken:
        cases[broken - 1].fields = {"broken": True}
    Case.objects.bulk_create(cases)
    Membership.objects.bulk_create(
        Membership(version=made, case=case, position=index) for index, case in enumerate(cases, 1)
    )
    return made


def _case(dataset: Dataset, number: int, benchmark: str, words: str) -> Case:
    row = fields(dataset.suite, number, benchmark, words)
    return Case(
        dataset=dataset,
        suite=dataset.suite,
        key=f"{benchmark}-{number:06}",
        sort=f"{benchmark}-{number:06}",
        digest=str(number),
        benchmark=benchmark,
        category="Compliance judgement",
        difficulty="Low",
        question=row.get("question") or row["query"],
        fields=row,
    )


def endpoint(url: str, most: int = 20, **more: Any) -> Endpoint:
    """Make an endpoint at a mock server."""
    return Endpoint.objects.create(
        **{
            "name": f"endpoint {next(_numbers)}",
            "gateway": "openai_compatible",
            "base_url": f"{url}/v1",
            "model": "mock-small",
            "max_concurrency": most,
            "timeout_seconds": 20,
            **more,
        }
    )


def echo(**parameters: Any) -> Endpoint:
    """Make an endpoint that needs no server."""
    return Endpoint.objects.create(
        name=f"echo {next(_numbers)}", gateway="echo", model="echo", parameters=parameters
    )


def started(made: Version, asked: Endpoint, **more: Any) -> Run:
    """Start a run; nobody is woken for it."""
    plain = {"name": "run", "version": made, "endpoint": asked, "use_cache": False}
    run = Run.objects.create(**plain | more)
    runs.start(run)
    return run
