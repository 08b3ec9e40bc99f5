"""Who marks faster than one can read is flagged, and only with enough to go by."""

from __future__ import annotations

import numpy as np
import pytest

from reviews.stats import speed_flag


def reviews(**seconds: list[float]) -> list[tuple[str, int, float]]:
    return [(who, answer, took) for who, times in seconds.items() for answer, took in enumerate(times)]


def by_name(found: list[speed_flag.Speed]) -> dict[object, speed_flag.Speed]:
    return {one.reviewer: one for one in found}


def test_it_flags_who_takes_less_than_a_third() -> None:
    found = by_name(speed_flag.measure(reviews(bob=[90.0] * 6, carol=[100.0] * 6, eve=[20.0] * 6)))
    assert [name for name, one in found.items() if one.too_fast] == ["eve"]
    assert found["eve"].pace == pytest.approx(20 / 95)


def test_it_compares_on_the_same_answers() -> None:
    # Eve was given the short answers; on those the others are as fast.
    times = [("bob", 1, 10.0), ("bob", 2, 200.0), *[("eve", n, 10.0) for n in (1, 3, 4, 5, 6)]]
    times += [("carol", n, 9.0) for n in (1, 3, 4, 5, 6)]
    assert not by_name(speed_flag.measure(times))["eve"].too_fast


def test_it_flags_nobody_on_four_reviews() -> None:
    assert not any(one.too_fast for one in speed_flag.measure(reviews(bob=[90.0] * 4, eve=[1.0] * 4)))


def test_it_flags_who_reads_faster_than_people_can() -> None:
    words = dict.fromkeys(range(5), 400)
    found = speed_flag.measure(reviews(eve=[10.0] * 5, bob=[100.0] * 5), words=words)
    assert by_name(found)["bob"].words_per_minute == 240
    alone = speed_flag.measure(reviews(eve=[10.0] * 5), words=words)
    assert (alone[0].pace, alone[0].too_fast) == (None, True)
    assert alone[0].why == "Reads 2,400 words per minute, and people read about 240."


def test_it_knows_no_interval_of_few_reviews() -> None:
    found = speed_flag.measure(reviews(bob=[3.0, 5.0]))[0].seconds
    assert (found.value, found.low) == (4.0, None)
    assert "Fewer than six" in found.reason


def test_it_has_nothing_to_say_of_nobody() -> None:
    assert speed_flag.measure([]) == []


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_it_refuses_times_that_cannot_be(seconds: float) -> None:
    with pytest.raises(ValueError, match="cannot take"):
        speed_flag.measure([("bob", 1, seconds)])


def test_its_interval_of_the_median_covers_at_least_95_percent() -> None:
    times = np.random.default_rng(1).exponential(60.0, size=(4000, 25))
    found = [speed_flag.measure(reviews(bob=row.tolist()))[0].seconds for row in times]
    # Of 25 values the 8th and the 18th enclose the median with probability 0.957.
    assert np.mean([not one.excludes(60 * np.log(2)) for one in found]) == pytest.approx(0.957, abs=0.01)
