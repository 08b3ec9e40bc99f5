"""The gate opens at its threshold, names what is worst, and does not decide what it does not know."""

from __future__ import annotations

import pytest

from reviews.stats import gate
from reviews.stats import panel as panels

MARKS: list[panels.Mark] = [
    (answer, criterion, reviewer, mark)
    for criterion, rows in {"accuracy": [(4, 4, 5), (3, 3, 5)], "clarity": [(2, 2, 3), (5, 5, 5)]}.items()
    for answer, row in enumerate(rows)
    for reviewer, mark in zip(("bob", "carol", "dora"), row, strict=True)
]


def test_it_is_met_at_exactly_the_threshold() -> None:
    panel = panels.table([[4, 4]] * 4 + [[4, 5]])
    found = gate.check(panel)
    assert (found.agreement.value, found.met) == (0.8, True)
    assert gate.check(panel, threshold=0.81).met is False


def test_it_holds_the_measure_of_the_rubric_against_the_threshold() -> None:
    panel = panels.table([[4, 5], [3, 2], [5, 5], [1, 2], [4, 3], [2, 2]])
    assert gate.check(panel).met is False
    assert gate.check(panel, measure="within_one").met is True


@pytest.mark.parametrize(
    ("measure", "met"),
    [
        ("exact", False),
        ("within_one", True),
        ("kappa", False),
        ("krippendorff_alpha", False),
        ("gwet_ac2", True),
    ],
)
def test_it_takes_any_measure(measure: str, met: bool) -> None:
    found = gate.check(panels.gather(MARKS), measure=measure)
    assert (found.measure, found.met) == (measure, met)


def test_it_names_the_worst_criterion_and_pair_first() -> None:
    found = gate.check(panels.gather(MARKS))
    assert [place.name for place in found.criteria] == ["accuracy", "clarity"]
    assert {place.name for place in found.pairs[:2]} == {("bob", "dora"), ("carol", "dora")}
    assert found.pairs[2] == gate.Place(("bob", "carol"), 1.0, 2)


def test_it_does_not_decide_without_a_pair() -> None:
    found = gate.check(panels.table([[4], [5]]))
    assert (found.met, found.pairs) == (None, [])
    assert found.agreement.reason == "No answer was marked by two reviewers."


def test_it_does_not_decide_by_alpha_where_all_marks_are_the_same() -> None:
    panel = panels.table([[4, 4]] * 20)
    assert gate.check(panel, measure="krippendorff_alpha").met is None
    assert gate.check(panel).met is True


def test_it_puts_what_is_undefined_last() -> None:
    marks: list[panels.Mark] = [
        ("a", "clarity", "bob", 4),
        ("a", "accuracy", "bob", 3),
        ("a", "accuracy", "carol", 5),
    ]
    assert [place.value for place in gate.check(panels.gather(marks)).criteria] == [0.0, None]


def test_it_refuses_a_measure_that_does_not_exist() -> None:
    with pytest.raises(KeyError):
        gate.check(panels.table([[4, 4]]), measure="vibes")
