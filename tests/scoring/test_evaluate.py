"""The command line: a run in this process, its table and JSON, what is refused, going on after Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from benchmarks import mock_server
from evalportal.embedded.places import ROOT
from scoring.models import Endpoint, Run
from tests.engine.making import echo, endpoint, version

pytestmark = pytest.mark.django_db(transaction=True)

REPLY = "The owner reviews the access logs every month and keeps the evidence."


def evaluate(**options: Any) -> str:
    out = StringIO()
    call_command("evaluate", local=True, stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


def test_it_prints_a_table_by_benchmark_and_difficulty_with_pass_rates() -> None:
    version(3)
    told = evaluate(model=echo(reply=REPLY).name)
    assert "final" in told
    assert "B3 Conditional Compliance Reasoning" in told
    assert "pass rate" in told
    assert "100.0%" in told
    assert "Low" in told
    assert "3 answers, 0 failed" in told


def test_it_writes_each_result_with_case_response_metrics_and_metadata(tmp_path: Path) -> None:
    version(2)
    path = tmp_path / "results.json"
    evaluate(model=echo(reply=REPLY).name, output=path)
    document = json.loads(path.read_text())
    first = document["results"][0]
    assert len(document["results"]) == 2
    assert set(first) >= {"test_case", "response", "metrics", "metadata", "overall_score", "passed"}
    assert first["test_case"]["benchmark_type"] == "B3"
    assert first["response"]["content"] == REPLY
    assert first["metrics"]["key_fact_recall"]["value"] == 1.0
    assert first["metadata"]["difficulty"] == "Low"


def test_it_leaves_nothing_behind_without_save(tmp_path: Path) -> None:
    version(1)
    path = tmp_path / "results.json"
    evaluate(model=echo(reply=REPLY).name, save=False, output=path)
    assert not Run.objects.exists()
    assert path.exists()


def test_it_takes_phase_threshold_temperature_samples_and_ids() -> None:
    version(4)
    evaluate(
        model=echo(reply=REPLY).name,
        phase="fine-tuned",
        threshold=0.99,
        temperature=0.3,
        samples=2,
        benchmark=["b3"],
        test_id=["B3-000001", "B3-000003"],
    )
    run = Run.objects.get()
    assert run.responses.count() == 4
    assert (run.phase, run.threshold, run.parameters) == ("fine-tuned", 0.99, {"temperature": 0.3})


def test_it_reaches_a_server_by_its_address() -> None:
    version(2)
    with mock_server.running() as mock:
        told = evaluate(model=f"openai:mock-small@{mock.url}/v1")
    assert "2 answers" in told
    assert Endpoint.objects.get().gateway == "openai_compatible"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "Say which model"),
        ({"model": "nobody"}, "There is no endpoint 'nobody'"),
        ({"model": "ollama:llama@http://127.0.0.1:9"}, "ollama:llama"),
        ({"model": "echo", "phase": "maybe"}, "there is no 'maybe'"),
        ({"model": "echo", "threshold": 1.5}, "must be between 0 and 1"),
        ({"model": "echo", "samples": 0}, "--samples"),
        ({"model": "echo", "noise": [1.5]}, "--noise"),
        ({"model": "echo", "dataset": "none"}, "Say which dataset"),
        ({"model": "echo", "benchmark": ["B99"]}, "No case matches"),
        ({"resume": 999_999}, "There is no run"),
    ],
)
def test_it_refuses_in_plain_words(options: dict[str, Any], words: str) -> None:
    version(1)
    Endpoint.objects.create(name="echo", gateway="echo", model="echo")
    with pytest.raises(CommandError, match=words):
        evaluate(**options)
    assert not Run.objects.exists()


def test_it_says_that_the_output_cannot_be_written_and_keeps_the_run(tmp_path: Path) -> None:
    version(1)
    with pytest.raises(CommandError, match="cannot be written"):
        evaluate(model=echo(reply=REPLY).name, output=tmp_path / "nowhere" / "results.json")
    assert Run.objects.get().state == Run.State.FINAL


def test_it_leaves_a_run_at_ctrl_c_that_resume_continues() -> None:
    made = version(60)
    with mock_server.running("--latency", "0.3") as mock:
        asked = endpoint(mock.url, most=4)
        process = _command("evaluate", "--local", "--model", asked.name, "--dataset", made.dataset.name)
        while mock.counts()["answers"] < 8:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        run = Run.objects.get()
        assert process.returncode == 130
        assert f"--resume {run.pk}" in told
        assert run.state == Run.State.PAUSED
        mock.control(latency=0.01)
        evaluate(resume=run.pk)
        assert mock.counts()["requests"] == 60 + 1  # the test of the connection
    run.refresh_from_db()
    assert run.state == Run.State.FINAL


def _command(*arguments: str) -> subprocess.Popen[str]:
    settings = connection.settings_dict
    url = os.environ["DATABASE_URL"]
    before, _, rest = url.partition("@/")
    name = rest.partition("?")[0]
    return subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": f"{before}@/{rest.replace(name, str(settings['NAME']), 1)}"},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
