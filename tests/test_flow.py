"""The whole portal in one test: people, cases, a model, a run, its scores, and why they are what they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from scoring.engine import local
from scoring.models import Endpoint, Response, Run, Version

SAMPLES = Path(__file__).resolve().parent.parent / "samples" / "ccop"
REPLY = (
    "Non-Compliant. Under clause 99.9.9 the logs must be kept for twelve months from the date of the event."
)


@pytest.mark.django_db(transaction=True)
def test_it_goes_from_files_to_scores_that_explain_themselves(
    alice: Any, bob: Any, dan: Any, signed_in: Callable[[Any], Client]
) -> None:
    as_alice = signed_in(alice)

    # Alice uploads the samples: every line is checked, and they become version 1 of a dataset.
    files = [SimpleUploadedFile(path.name, path.read_bytes()) for path in sorted(SAMPLES.glob("b*.jsonl"))]
    as_alice.post("/uploads/new/", {"files": files, "suite": "ccop", "dataset_name": "samples"})
    version = Version.objects.get()

    # She adds a model and tests that it answers.
    model = {"name": "Parrot", "gateway": "echo", "model": "echo", "parameters": f'{{"reply": "{REPLY}"}}'}
    as_alice.post("/models/new/", {**model, "max_concurrency": 8, "timeout_seconds": 10})
    endpoint = Endpoint.objects.get()
    assert b"notice good" in as_alice.post(f"/models/{endpoint.pk}/probe/").content

    # She starts a run of one benchmark of Tier 1 and one of Tier 2; here the test does the workers' part.
    run_form = {"name": "First", "version": version.pk, "endpoint": endpoint.pk, "benchmarks": ["B2", "B7"]}
    rest = {
        "samples": 1,
        "judge_votes": 1,
        "reviewers": 2,
        "validation_share": 0.2,
        "phase": "baseline",
        "seed": 0,
    }
    response = as_alice.post("/runs/new/", {**run_form, **rest, "temperature": 0, "max_tokens": 64})
    assert response.status_code == 302, response.context["form"].errors
    run = Run.objects.get()
    local.drive(run.pk, Event())
    run.refresh_from_db()

    # Tier 1 is scored at once, Tier 2 waits for people, and the score says of how many it is.
    assert run.state == Run.State.AWAITING_REVIEW
    assert run.summary["overall"]["scored"] == version.summary["benchmark"]["B2"]
    assert run.summary["overall"]["pending"] == version.summary["benchmark"]["B7"]

    # Dan reads an answer: the invented clause is marked in it, and named as the reason for a zero.
    answer = Response.objects.filter(run=run, case__benchmark="B2").first()
    assert answer
    page = signed_in(dan).get(answer.get_absolute_url()).content.decode()
    assert '<mark class="bad"' in page
    assert "99.9.9" in page
    assert "fabrication" in page

    # Bob, who may have to mark its answers, does not get to see what the machine thinks of them.
    assert signed_in(bob).get(run.get_absolute_url()).status_code == 403
