"""A panel holds marks in whatever order they come, and refuses those that cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from reviews.stats import bootstrap_interval
from reviews.stats import gate as gates
from reviews.stats import panel as panels

MARKS: list[panels.Mark] = [
    ("a1", "accuracy", "bob", 4),
    ("a1", "accuracy", "carol", 5),
    ("a1", "clarity", "bob", 2),
    ("a2", "accuracy", "bob", 3),
    ("a3", "clarity", "dora", 1),
]


def test_it_gives_every_mark_a_place() -> None:
    panel = panels.gather(MARKS)
    assert panel.codes.shape == (3, 2, 3)
    assert panel.codes[0].tolist() == [[3, 4, -1], [1, -1, -1]]


def test_it_is_empty_without_marks() -> None:
    panel = panels.gather([])
    assert panel.codes.shape == (0, 0, 0)
    assert panel.in_common() == 0
    assert panel.pairs() == []


def test_it_takes_none_for_a_missing_mark() -> None:
    assert panels.table([[1, None], [None, None]]).codes[:, 0].tolist() == [[0, -1], [-1, -1]]


def test_it_keeps_one_criterion() -> None:
    panel = panels.gather(MARKS).of_criterion("clarity")
    assert panel.criteria == ("clarity",)
    assert panel.codes[:, 0].tolist() == [[1, -1, -1], [-1, -1, -1], [-1, -1, 0]]


def test_it_keeps_some_reviewers_and_their_answers() -> None:
    panel = panels.gather(MARKS, weights={"a1": 1.0, "a2": 5.0, "a3": 1.0}).of_reviewers("carol", "bob")
    assert panel.reviewers == ("carol", "bob")
    assert panel.answers == ("a1", "a2")
    assert panel.weights.tolist() == [1.0, 5.0]


def test_it_lists_the_pairs_who_share_an_answer() -> None:
    assert panels.gather(MARKS).pairs() == [("bob", "carol")]


def test_it_counts_answers_that_can_be_compared() -> None:
    assert panels.gather(MARKS).in_common() == 1


@pytest.mark.parametrize("mark", [0, 6, 2.5, float("nan")])
def test_it_refuses_a_mark_off_the_scale(mark: float) -> None:
    with pytest.raises(ValueError, match="not on the scale 1, 2, 3, 4, 5"):
        panels.table([[mark, 3]])


def test_it_refuses_a_second_mark_of_the_same_reviewer() -> None:
    with pytest.raises(ValueError, match="bob marked a1 twice by accuracy"):
        panels.gather([*MARKS, ("a1", "accuracy", "bob", 5)])


@pytest.mark.parametrize("scale", [(), (1,), (2, 1), (1, 1)])
def test_it_refuses_a_scale_that_is_none(scale: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="ascending"):
        panels.table([[1, 1]], scale=scale)


def test_it_refuses_weights_that_are_not_positive() -> None:
    with pytest.raises(ValueError, match="positive"):
        panels.gather([("a1", "", "bob", 3)], weights={"a1": 0.0})


def test_it_puts_answers_with_the_same_marks_together() -> None:
    panel = panels.table([[4, 4], [2, None], [4, 4], [2, 3]])
    kinds = panel.alike()
    assert sorted(kinds.times.tolist() if kinds.times is not None else []) == [1, 1, 2]
    assert kinds.in_common() == panel.in_common() == 3
    assert kinds.counts().sum() == panel.counts().sum() - 2


def test_it_gives_the_same_statistics_of_what_was_put_together() -> None:
    rng = np.random.default_rng(5)
    panel = panels.table(rng.integers(1, 6, size=(60, 3)).tolist() * 2)
    for name, quantity in gates.MEASURES.items():
        one, other = quantity(panel), quantity(panel.alike())
        assert bootstrap_interval.measure(one, seed=1) == bootstrap_interval.measure(other, seed=1), name


def test_it_puts_nothing_together_where_weights_differ() -> None:
    marks = [("a", "clarity", "bob", 4), ("b", "clarity", "bob", 4)]
    assert len(panels.gather(marks, weights={"a": 1.0, "b": 2.0}).alike().answers) == 2
