"""The command line: a run in this process, its table and JSON, what is refused, going on after Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from benchmarks import mock_server
from evalportal.embedded.places import ROOT
from scoring import endpoints, results, runs
from scoring.engine import blockades, local
from scoring.management import output
from scoring.management.commands.evaluate import EXIT_CODES, Command
from scoring.models import Endpoint, Run
from tests.engine.conftest import until
from tests.engine.making import echo, endpoint, version

pytestmark = pytest.mark.django_db(transaction=True)

REPLY = "The owner reviews the access logs every month and keeps the evidence."
MARKS = {"accuracy": 4, "completeness": 4, "practicality": 4, "clarity": 4}


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


def test_it_says_at_the_start_that_the_output_cannot_be_written(tmp_path: Path) -> None:
    version(1)
    for path in (tmp_path / "nowhere" / "results.json", tmp_path):
        with pytest.raises(CommandError, match="cannot be written") as error:
            evaluate(model=echo(reply=REPLY).name, output=path)
        assert error.value.returncode == 2
    assert not Run.objects.exists()


def test_it_keeps_the_run_when_the_output_cannot_be_written_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version(1)
    folder = tmp_path / "results"
    folder.mkdir()
    monkeypatch.setattr(results, "document", lambda run: folder.rmdir())
    with pytest.raises(CommandError, match="cannot be written"):
        evaluate(model=echo(reply=REPLY).name, output=folder / "results.json", save=False)
    assert Run.objects.get().state == Run.State.FINAL


def test_it_leaves_the_results_of_before_alone_until_there_are_new_ones(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text("before")
    with pytest.raises(TypeError):
        output.write(path, {("no", "name"): 1})
    assert path.read_text() == "before"
    output.write(path, {"after": True})
    assert json.loads(path.read_text()) == {"after": True}
    assert list(tmp_path.iterdir()) == [path]


def test_it_writes_the_errors_the_notes_and_the_verdicts(tmp_path: Path) -> None:
    version(2, benchmark="B12")
    path = tmp_path / "results.json"
    said = {"test_id": "B12-000001", "response": "Yes.\0", "finish_reason": "length"}
    asked = Endpoint.objects.create(name="recorded", gateway="recorded", model="elsewhere")
    endpoints.record(asked, [json.dumps(said)])
    judge = echo(reply=json.dumps({"marks": MARKS, "rationale": "Short.", "confidence": 0.9}))
    evaluate(model=asked.name, judge=judge.name, output=path)
    answered, failed = json.loads(path.read_text())["results"]
    assert answered["response"]["finish_reason"] == "length"
    assert answered["response"]["notes"]
    assert (answered["verdicts"][0]["marks"], answered["verdicts"][0]["rationale"]) == (MARKS, "Short.")
    assert "no answer for B12-000002" in failed["response"]["error"]
    assert failed["verdicts"] == []


def test_it_says_what_it_asked_with(tmp_path: Path) -> None:
    version(1, suite="cybersec", benchmark="cybersecurity_answers")
    path = tmp_path / "results.json"
    evaluate(model=echo(reply=REPLY).name, output=path, temperature=0.3, cache=False)
    about = json.loads(path.read_text())["run"]
    assert about["parameters"] == {"logprobs": True, "top_logprobs": 20, "reply": REPLY, "temperature": 0.3}
    assert (about["use_cache"], about["benchmarks"], about["test_ids"]) == (False, [], [])


@pytest.mark.parametrize("spelling", ["B3", "b3", "B03", "B3_Conditional_Compliance_Reasoning"])
def test_it_understands_a_benchmark_in_all_its_spellings(spelling: str) -> None:
    version(2)
    evaluate(model=echo(reply=REPLY).name, benchmark=[spelling])
    assert Run.objects.get().benchmarks == ["B3"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"test_id": ["B3-000001", "B3-000009"]}, "No case matches B3-000009:"),
        ({"benchmark": ["B3", "B9", "noise_robustness"]}, "No case matches B9, noise_robustness:"),
        ({"temperature": -1.0}, "temperature must be a number"),
        ({"max_tokens": 0}, "max_tokens must be a whole number"),
        ({"seed": -1}, "--seed"),
        ({"key_variable": "SOME_KEY"}, "has its own key variable"),
    ],
)
def test_it_asks_nothing_when_a_part_of_what_was_typed_is_wrong(options: dict[str, Any], words: str) -> None:
    version(2)
    with pytest.raises(CommandError, match=words) as error:
        evaluate(model=echo(reply=REPLY).name, **options)
    assert error.value.returncode == 2
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://user:secret@127.0.0.1:9/v1", "Leave user name and password out"),
        ("http://user:secret@169.254.169.254/v1", "Leave user name and password out"),
        ("http://169.254.169.254/v1", "link-local or metadata address"),
        ("http://127.0.0.1:9/v1?key=secret", "Leave out what follows"),
    ],
)
def test_it_refuses_an_address_that_must_not_be_asked(url: str, words: str) -> None:
    version(1)
    for option in ({"model": f"openai:m@{url}"}, {"model": echo().name, "judge": f"ollama:m@{url}"}):
        with pytest.raises(CommandError, match=words) as error:
            evaluate(**option)
        assert error.value.returncode == 2
        assert "secret" not in str(error.value)
    assert not Endpoint.objects.exclude(gateway="echo").exists()


@pytest.mark.parametrize(
    "options", [{}, {"dataset": "none"}, {"benchmark": ["B9"]}, {"test_id": ["B9-001"]}, {"samples": 0}]
)
def test_it_keeps_no_endpoint_of_a_run_that_never_was(options: dict[str, Any]) -> None:
    version(1)
    with pytest.raises(CommandError):
        evaluate(model="openai:nobody@http://127.0.0.1:9/v1", **options)
    assert not Endpoint.objects.exists()


def test_it_reuses_an_endpoint_of_the_same_model_and_address() -> None:
    version(1)
    with mock_server.running() as mock:
        known = endpoint(mock.url)
        evaluate(model=f"openai:mock-small@{mock.url}/v1/")
        evaluate(model=f"openai:mock-large@{mock.url}/v1", save=False)
    assert list(Endpoint.objects.all()) == [known]
    assert Run.objects.get().endpoint == known


def test_it_makes_one_endpoint_of_a_model_that_judges_itself() -> None:
    version(1, benchmark="B12")
    with mock_server.running() as mock:
        address = f"openai:mock-small@{mock.url}/v1"
        evaluate(model=address, judge=address)
    run = Run.objects.get()
    assert (run.endpoint, run.judge) == (Endpoint.objects.get(), Endpoint.objects.get())


def test_it_takes_the_key_from_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    version(1)
    monkeypatch.setenv("SOME_SERVICE_API_KEY", "secret-key")
    with mock_server.running("--key", "secret-key") as mock:
        with pytest.raises(CommandError, match="wants a key"):
            evaluate(model=f"openai:mock-small@{mock.url}/v1")
        evaluate(model=f"openai:mock-small@{mock.url}/v1", key_variable="SOME_SERVICE_API_KEY")
    assert Endpoint.objects.get().key_variable == "SOME_SERVICE_API_KEY"


def test_it_says_how_far_it_is_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    version(8)
    told = StringIO()
    call_command("evaluate", local=True, model=echo(reply=REPLY).name, stdout=StringIO(), stderr=told)
    lines = told.getvalue().splitlines()
    assert lines[0].endswith(": answers 0/8")
    assert lines[-1].endswith(": scores 8/8")
    assert len(lines) == 2


def test_it_says_with_what_codes_it_ends() -> None:
    told = " ".join(Command().create_parser("manage.py", "evaluate").format_help().split())
    assert EXIT_CODES in told


def test_it_does_not_end_well_when_somebody_cancels_or_pauses_the_run() -> None:
    version(400)
    for press, words in ((runs.cancel, "Cancelled by hand"), (runs.pause, "is paused: Paused by hand")):
        Thread(target=_press, args=(press,)).start()
        with pytest.raises(CommandError, match=words) as error:
            evaluate(model=echo(reply=REPLY, delay=0.2).name)
        assert error.value.returncode == 3


def test_it_says_that_a_run_failed() -> None:
    version(1)
    with pytest.raises(CommandError, match="Not one question was answered") as error:
        evaluate(model=echo(fail=-1, kind="too_long", permanent=True).name)
    assert error.value.returncode == 3


def test_it_ends_with_the_error_when_nobody_drives_the_run_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def die(run_id: int, stopping: Event) -> None:
        blockades.block([run_id], Run.objects.get(pk=run_id).endpoint, "It does not answer.")
        raise RuntimeError("out of memory")

    version(1)
    monkeypatch.setattr(local, "drive", die)
    with pytest.raises(CommandError, match=r"stopped: RuntimeError: out of memory Go on with") as error:
        evaluate(model=echo(reply=REPLY).name)
    assert error.value.returncode == 1


def test_it_stays_paused_after_ctrl_c_while_the_endpoint_is_away() -> None:
    made = version(60)
    with mock_server.running("--latency", "0.3") as mock:
        asked = endpoint(mock.url, most=4)
        process = _command("evaluate", "--local", "--model", asked.name, "--dataset", made.dataset.name)
        until(lambda: mock.counts()["answers"] >= 8)
    until(lambda: Run.objects.get().paused_by_portal)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    run = Run.objects.get()
    assert process.returncode == 130
    assert f"--resume {run.pk}" in told
    assert (run.state, run.paused_by_portal, run.reason) == (Run.State.PAUSED, False, "Paused by hand.")


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


def _press(press: Callable[[Run], None]) -> None:
    """Press a button of the newest run once it is under way."""
    until(lambda: Run.objects.filter(state=Run.State.RUNNING).exists())
    press(Run.objects.get(state=Run.State.RUNNING))
    connection.close()
