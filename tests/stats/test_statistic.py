"""A Statistic is finite or None, and says what is missing."""

from __future__ import annotations

import math

import pytest

from scoring.statistic import Statistic


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_it_refuses_what_is_no_number(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        Statistic(value, reason="It is unknown.")


def test_it_refuses_half_an_interval() -> None:
    with pytest.raises(ValueError, match="two ends"):
        Statistic(0.5, low=0.4, n=3)


def test_it_refuses_an_interval_without_a_value() -> None:
    with pytest.raises(ValueError, match="two ends and a value"):
        Statistic(None, 0.4, 0.6)


def test_it_asks_why_there_is_no_interval() -> None:
    with pytest.raises(ValueError, match="why"):
        Statistic(0.5)


def test_it_excludes_what_lies_outside_its_interval() -> None:
    found = Statistic(0.1, -0.05, 0.25, 30)
    assert [found.excludes(number) for number in (-0.06, -0.05, 0.0, 0.25, 0.26)] == [
        True,
        False,
        False,
        False,
        True,
    ]


def test_it_excludes_nothing_without_an_interval() -> None:
    assert not Statistic(0.1, n=1, reason="One score has no spread.").excludes(5.0)


def test_it_gives_half_its_width() -> None:
    assert Statistic(0.5, 0.25, 0.75, 9).margin == 0.25
    assert Statistic(0.5, reason="One score has no spread.").margin is None
