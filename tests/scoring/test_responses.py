"""How a model is asked: token scores where the suite wants them, and as the parameters say."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import mock_server
from scoring import responses
from scoring.engine import asking, bells
from scoring.models import Endpoint, Run
from tests.engine.making import echo, endpoint, started, version

pytestmark = pytest.mark.django_db(transaction=True)

RANKED = ("cybersec", "cybersecurity_answers")


def served(asked: Endpoint, suite: str, benchmark: str, **more: Any) -> Run:
    run = started(version(2, suite=suite, benchmark=benchmark), asked, **more)
    asking.serve(asked.pk, ring=bells.silent)
    return run


def test_it_asks_for_token_scores_where_the_suite_is_ranked_by_them() -> None:
    run = served(echo(reply="A firewall filters traffic."), *RANKED)
    scores = run.responses.values_list("token_scores", flat=True)
    assert [len(found["top_logprobs"]) for found in scores if found] == [4, 4]


@pytest.mark.parametrize(("suite", "benchmark"), [("ccop", "B3"), ("rgb", "noise_robustness")])
def test_it_asks_for_no_token_scores_that_nobody_looks_at(suite: str, benchmark: str) -> None:
    run = served(echo(reply="Yes."), suite, benchmark)
    assert set(run.responses.values_list("token_scores", flat=True)) == {None}


@pytest.mark.parametrize(
    ("of_endpoint", "own", "asked"),
    [
        ({}, {}, {"logprobs": True, "top_logprobs": 20}),
        ({"logprobs": None}, {}, {"logprobs": True, "top_logprobs": 20}),
        ({"top_logprobs": 5}, {}, {"logprobs": True, "top_logprobs": 5}),
        ({"completion": True}, {}, {"completion": True, "logprobs": True, "top_logprobs": 5}),
        ({"logprobs": False}, {}, {"logprobs": False}),
        ({"logprobs": True}, {"logprobs": False}, {"logprobs": False}),
    ],
)
def test_it_follows_what_endpoint_and_run_say_of_token_scores(
    of_endpoint: dict[str, Any], own: dict[str, Any], asked: dict[str, Any]
) -> None:
    assert responses.parameters_for("cybersec", Endpoint(parameters=of_endpoint), own) == asked


def test_it_takes_no_answer_without_token_scores_from_the_cache() -> None:
    made = version(2, suite=RANKED[0], benchmark=RANKED[1])
    counts = []
    with mock_server.running() as mock:
        asked = endpoint(mock.url)
        for own in ({"logprobs": False}, {}, {}):
            run = started(made, asked, use_cache=True, parameters=own)
            asking.serve(asked.pk, ring=bells.silent)
            counts.append(run.responses.filter(from_cache=True).count())
    assert counts == [0, 0, 2]
