"""The echo does as its script says."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.gateway_contract import GatewayError
from scoring.gateways import echo
from tests.gateways.conftest import put_to


def test_it_says_what_it_hears_or_what_it_is_told() -> None:
    assert put_to(echo, "", "Hello there.").content == "Hello there."
    assert put_to(echo, "", "Hello.", reply="Fixed.").content == "Fixed."
    assert put_to(echo, "", "one two three", words=2).content == "one two"


def test_it_has_an_answer_for_each_sample() -> None:
    said = [put_to(echo, "", "?", reply=["a", "b"], sample=sample).content for sample in (1, 2, 3)]
    assert said == ["a", "b", "a"]


def test_it_fails_as_often_as_it_is_told() -> None:
    script: dict[str, Any] = {"fail": 2, "kind": "rate_limited", "retry_after": 0.5}
    for _ in range(2):
        with pytest.raises(GatewayError) as caught:
            put_to(echo, "", "Twice.", **script)
        assert (caught.value.kind, caught.value.permanent, caught.value.retry_after) == (
            "rate_limited",
            False,
            0.5,
        )
    assert put_to(echo, "", "Twice.", **script).content == "Twice."
    assert not any(failed[-1] == "Twice." for failed in echo._failures)


def test_it_fails_for_ever_if_told() -> None:
    for _ in range(3):
        with pytest.raises(GatewayError) as caught:
            put_to(echo, "", "Never.", fail=-1, permanent=True)
        assert caught.value.permanent


def test_it_sleeps_within_its_time() -> None:
    assert put_to(echo, "", "Late.", delay=0.05).latency_seconds >= 0.05
    with pytest.raises(GatewayError) as caught:
        put_to(echo, "", "Too late.", delay=5, timeout_seconds=0.05)
    assert (caught.value.kind, caught.value.permanent) == ("timeout", False)


def test_it_scores_its_words_at_even_odds() -> None:
    tokens = put_to(echo, "", "one two", logprobs=True, top_logprobs=5).tokens
    assert tokens
    assert tokens.logprobs == pytest.approx([-0.693147, -0.693147])
    assert (tokens.vocabulary, [len(row) for row in tokens.top_logprobs or ()]) == (2, [2, 2])


@pytest.mark.parametrize(
    "script", [{"reply": 7}, {"delay": "long"}, {"fail": 1, "kind": "odd"}, {"words": True}]
)
def test_it_refuses_a_script_that_makes_no_sense(script: dict[str, Any]) -> None:
    with pytest.raises(GatewayError, match="The parameter") as caught:
        put_to(echo, "", "Hello.", **script)
    assert caught.value.kind == "bad_parameters"
