"""An endpoint's parameters, right and wrong."""

from __future__ import annotations

from typing import Any

import pytest

from scoring import parameters
from scoring.gateway_contract import GatewayError
from scoring.parameters import Settings


def test_it_reads_what_is_given_and_leaves_the_rest_to_the_server() -> None:
    given = {"temperature": 1, "top_p": None, "stop": "END", "logprobs": True, "min_p": 0.1}
    expected = Settings(temperature=1.0, stop=("END",), logprobs=True, rest={"min_p": 0.1})
    assert parameters.read(given) == expected


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("temperature", -0.1, "a number from 0 to 10"),
        ("temperature", "hot", "a number from 0 to 10"),
        ("temperature", float("inf"), "a number from 0 to 10"),
        ("top_p", 1.5, "a number from 0 to 1"),
        ("max_tokens", 0, "a whole number from 1 up"),
        ("max_tokens", 2.5, "a whole number from 1 up"),
        ("max_tokens", True, "a whole number from 1 up"),
        ("seed", -1, "a whole number from 0 up"),
        ("seed", 2**31, "a whole number from 0 up"),
        ("stop", ["a", 1], "a text or a list of texts"),
        ("stop", "", "a text or a list of texts"),
        ("logprobs", 1, "true or false"),
        ("n", 3, "set by the portal itself"),
        ("messages", [], "set by the portal itself"),
    ],
)
def test_it_names_the_parameter_that_is_wrong(name: str, value: Any, reason: str) -> None:
    with pytest.raises(GatewayError, match=f"^The parameter {name} .*{reason}") as caught:
        parameters.read({name: value})
    assert (caught.value.kind, caught.value.permanent) == ("bad_parameters", True)


def test_it_gives_every_sample_another_seed_and_none_where_there_is_none() -> None:
    assert [parameters.sampled(Settings(seed=2**31 - 1), sample) for sample in (1, 2)] == [2**31 - 1, 0]
    assert parameters.sampled(Settings(), 5) is None
