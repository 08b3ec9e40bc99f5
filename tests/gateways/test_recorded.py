"""Answers that were given elsewhere."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from scoring import recordings
from scoring.gateway_contract import GatewayError, Prompt, Reply, Target
from scoring.gateways import recorded
from scoring.recordings import RecordingError


def line(**row: Any) -> str:
    return json.dumps(row)


def put(lines: list[str | bytes], case_key: str, sample: int = 1, noise: float = 0.0) -> Reply:
    target = Target("elsewhere", extra={"answers": recordings.read(lines)})
    prompt = Prompt([{"role": "user", "content": "?"}], None, case_key, sample, noise)
    return asyncio.run(recorded.ask(None, target, prompt))


@pytest.mark.parametrize("name", ["test_id", "id", "key"])
def test_it_finds_an_answer_by_its_case(name: str) -> None:
    assert put([line(**{name: "B1-001"}, response="Yes."), "", "  "], "B1-001").content == "Yes."


def test_it_tells_samples_and_noise_levels_apart() -> None:
    lines: list[str | bytes] = [
        line(id=7, response="any"),
        line(id=7, response="at 0.4", noise=0.4),
        line(id=7, response="second", sample=2),
    ]
    said = [put(lines, "7", sample, noise).content for sample, noise in ((1, 0.0), (1, 0.4), (2, 0.4))]
    assert said == ["any", "at 0.4", "second"]


def test_it_takes_log_probabilities_along() -> None:
    reply = put([line(id="a", response="b", logprobs=[-0.5], top_logprobs=[[-0.5, -1]], vocabulary=9)], "a")
    assert reply.tokens
    assert (reply.tokens.logprobs, reply.tokens.top_logprobs, reply.tokens.vocabulary) == (
        [-0.5],
        [[-0.5, -1.0]],
        9,
    )


def test_it_takes_an_empty_answer_and_cleans_the_others() -> None:
    lines: list[str | bytes] = [
        line(id="a", response=""),
        '\ufeff{"id": "b", "response": "x\\u0000y"}'.encode(),
    ]
    assert put(lines, "a").content == ""
    assert put(lines, "b").content == "x\ufffdy"
    assert "NUL" in put(lines, "b").notes[0]


def test_it_says_which_answer_is_missing() -> None:
    with pytest.raises(GatewayError, match=r"no answer for B1-002, sample 3 at noise 0\.6") as caught:
        put([line(test_id="B1-001", response="Yes.")], "B1-002", 3, 0.6)
    assert (caught.value.kind, caught.value.permanent, caught.value.of_endpoint) == (
        "missing_answer",
        True,
        False,
    )


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a JSON object"),
        (b'{"id": "\xff"}', "not UTF-8"),
        (line(response="x"), "test_id"),
        (line(id=True, response="x"), "test_id"),
        (line(id=" ", response="x"), "test_id"),
        (line(id="b"), "response must be a text"),
        (line(id="b", response=None), "response must be a text"),
        (line(id="b", response="x", sample=0), "sample"),
        (line(id="b", response="x", noise=2), "noise"),
        (line(id="b", response="x", logprobs=[0.5]), "logprobs"),
        (line(id="b", response="x", logprobs="x"), "logprobs"),
        (line(id="a", response="y"), "came before"),
    ],
)
def test_it_names_every_line_that_cannot_be_used(bad: str | bytes, reason: str) -> None:
    with pytest.raises(RecordingError) as caught:
        recordings.read([line(id="a", response="x"), bad, line(id="c", response="x"), bad])
    assert [problem.line for problem in caught.value.problems] == [2, 4]
    assert reason in caught.value.problems[0].reason


def test_it_refuses_a_file_without_rows() -> None:
    with pytest.raises(RecordingError, match="no row"):
        recordings.read(["", " \n"])
