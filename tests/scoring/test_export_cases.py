"""The command that gives cases back."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from scoring.models import Version
from tests.uploads.rows import ccop

Import = Callable[..., Version]


def _export(*arguments: Any) -> list[dict[str, Any]]:
    words = io.StringIO()
    call_command("export_cases", *map(str, arguments), stdout=words, stderr=io.StringIO())
    return [json.loads(line) for line in words.getvalue().splitlines()]


def test_it_gives_back_the_latest_version(dataset: Import) -> None:
    dataset(ccop("B3-001"))
    dataset(ccop("B3-003"), ccop("B3-002"))

    assert _export("gaps") == [ccop("B3-003"), ccop("B3-002")]


def test_it_gives_back_an_older_version(dataset: Import) -> None:
    dataset(ccop("B3-001"))
    dataset(ccop("B3-002"))

    assert _export("gaps", "--version", 1) == [ccop("B3-001")]


def test_it_writes_a_file_that_can_be_imported_again(dataset: Import, tmp_path: Path) -> None:
    version = dataset(ccop("B3-001"), ccop("B3-002", note="é😀"))
    _export("gaps", "--output", tmp_path / "out.jsonl")
    words = io.StringIO()
    call_command("import_cases", str(tmp_path / "out.jsonl"), dataset="gaps", stdout=words)

    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]
    assert words.getvalue().startswith(f"{version} holds exactly these 2 cases")


def test_it_says_which_datasets_there_are(dataset: Import) -> None:
    dataset(ccop())

    with pytest.raises(CommandError, match="There is no dataset 'gap'; there are: gaps"):
        _export("gap")


def test_it_refuses_a_version_that_is_not_there(dataset: Import) -> None:
    dataset(ccop())

    with pytest.raises(CommandError, match="The dataset gaps has no version 2"):
        _export("gaps", "--version", 2)


def test_it_refuses_a_file_that_cannot_be_written(dataset: Import, tmp_path: Path) -> None:
    dataset(ccop())

    with pytest.raises(CommandError, match="No such file"):
        _export("gaps", "--output", tmp_path / "missing" / "out.jsonl")


@pytest.mark.django_db(transaction=True)
def test_it_stops_quietly_when_the_reader_does(dataset: Import) -> None:
    dataset(*(ccop(f"B3-{number:03}", note="word " * 500) for number in range(200)))
    code = (
        "import sys, django; django.setup(); from django.db import connection;"
        " connection.settings_dict['NAME'] = sys.argv[1];"
        " from django.core.management import call_command; call_command('export_cases', 'gaps')"
    )
    exporter = subprocess.Popen(
        [sys.executable, "-c", code, connection.settings_dict["NAME"]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "evalportal.settings"},
    )
    assert exporter.stdout
    assert exporter.stderr
    exporter.stdout.read(10)
    exporter.stdout.close()

    assert exporter.stderr.read() == b""
    assert exporter.wait() == 0
