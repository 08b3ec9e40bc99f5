"""Rows to upload, a dataset to look at, and a model server to ask."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from benchmarks import mock_server
from benchmarks.mock_server import Remote
from scoring import cases, measuring
from scoring.language import embeddings
from scoring.models import Version
from scoring.uploads import Source
from tests.uploads.rows import ccop, lines


def ccop_row(number: int = 1, benchmark: int = 7, **changes: Any) -> dict[str, Any]:
    """Make a row of the CCoP suite that nothing is wrong with, of some difficulty and domain."""
    return ccop(
        f"B{benchmark}-{number:03d}",
        **{
            "expected_response": "Dormant accounts must be closed and access rights reviewed every year.",
            "difficulty": ("Low", "Medium", "High", "Critical")[number % 4],
            "metadata": {"domain": ("IT", "OT", "IT/OT")[number % 3]},
            **changes,
        },
    )


@pytest.fixture
def dataset(db: None) -> Callable[..., Version]:
    """Import rows as the next version of a dataset."""

    def add(*rows: dict[str, Any], name: str = "gaps", suite: str = "ccop") -> Version:
        outcome = cases.add([Source("rows.jsonl", [lines(*rows)])], dataset=name, suite=suite)
        assert outcome.version, outcome.problems.kept
        return outcome.version

    return add


@pytest.fixture
def no_embeddings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this be a machine without ONNX Runtime, on which nothing has been embedded yet."""
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    monkeypatch.setattr(embeddings, "_model", None)
    embeddings.forget()
    measuring._tell.cache_clear()


@pytest.fixture(scope="module")
def mock_process() -> Iterator[Remote]:
    with mock_server.running() as remote:
        yield remote


@pytest.fixture
def mock(mock_process: Remote, settings: Any) -> Remote:
    settings.RETRY_FIRST_SECONDS = 0.05
    mock_process.reset()
    return mock_process
