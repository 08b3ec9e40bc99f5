"""A real run on a real small language model, from start to scores, over a few cases of each suite."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalportal.embedded import model
from evalportal.embedded.places import ROOT
from scoring import tasks
from scoring.models import Endpoint, Run, Score, Verdict
from tests.engine.conftest import Engine, until
from tests.engine.making import started, version

ANSWER_TOKENS = 40


@pytest.fixture(scope="module")
def small_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if absent := model.missing():
        pytest.fail(f"The small model is part of the box, and is not installed: {', '.join(absent)}")
    port = model.choose_port(Path(tmp_path_factory.mktemp("model")) / "port")
    process = subprocess.Popen(model.command(port), cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        until(lambda: model.ready(port), 120)
        yield model.url(port)
    finally:
        process.terminate()
        process.wait()


def smol(url: str, name: str, **parameters: object) -> Endpoint:
    return Endpoint.objects.create(
        name=name,
        gateway="openai_compatible",
        base_url=url,
        model=model.NAME,
        parameters={"max_tokens": ANSWER_TOKENS, "temperature": 0, **parameters},
        max_concurrency=2,
        timeout_seconds=120,
    )


def test_it_asks_judges_and_scores_every_suite(engine: Engine, small_model: str) -> None:
    asked = smol(small_model, "small")
    judge = smol(small_model, "judge", max_tokens=200)
    wanted: list[Run] = [
        started(version(2, benchmark="B3"), asked),
        started(version(1, benchmark="B12"), asked, judge=judge),
        started(version(1, suite="rgb", benchmark="noise_robustness"), asked, noise_levels=[0, 80]),
        started(version(1, suite="cybersec", benchmark="cybersecurity_answers"), asked, samples=2),
    ]
    engine.worker()
    engine.beat()
    for run in wanted:
        tasks.ring_for(run)
    ended = {Run.State.FINAL, Run.State.AWAITING_REVIEW}
    until(lambda: all(one.state in ended for one in Run.objects.all()), 240)
    assert Score.objects.count() == 7
    assert Verdict.objects.get().state == "done"
    ranked = Score.objects.filter(response__run=wanted[3])
    assert [score.values["perplexity"] >= 1.0 for score in ranked] == [True, True]
    assert None not in [score.values["hallucination"] for score in ranked]
    assert [score.overall for score in ranked] == [score.values["combined"] for score in ranked]
    assert None not in [score.overall for score in ranked]
