"""The examples in the gateways' own words."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize(
    "name",
    [
        "scoring.addresses",
        "scoring.judging",
        "scoring.keys",
        "scoring.mark_text",
        "scoring.measurement",
        "scoring.parameters",
        "scoring.recordings",
        "scoring.wire.cleaning",
        "scoring.wire.discretion",
        "scoring.wire.refusals",
    ],
)
def test_it_does_as_its_example_says(name: str) -> None:
    tried = doctest.testmod(import_module(name))
    assert tried.attempted
    assert not tried.failed
