"""The judge against people, on blind marks alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reviews import assignments, judges, sampling, submissions, validation
from scoring.models import Run

MakeRun = Callable[..., Run]
Marks = dict[str, int]


def _validate(person: Any, marks: Marks, most: int = 1000) -> None:
    while most and (found := assignments.next(person)):
        submissions.submit(found.pk, person, marks)
        validation.decide(found.pk, person, "confirm")
        most -= 1


def test_it_gives_every_judged_answer_its_stratum_and_probability(make_run: MakeRun, bob: Any) -> None:
    run = make_run({"B12": 10}, confidences=[0.5, 0.9, 0.9, 0.9, 0.9])
    sampling.draw(run)
    rows = judges.judged(run)
    assert len(rows) == 10
    assert {row.probability for row in rows if row.stratum == "B12"} == {2 / 8}
    assert sum(row.drawn for row in rows if row.stratum == "B12") == 2
    assert {row.probability for row in rows if row.stratum == "B12, not sure"} == {1.0}
    assert {(row.judge, row.person) for row in rows} == {(0.75, None)}


def test_it_measures_bias_and_agreement(make_run: MakeRun, bob: Any, marks: Marks) -> None:
    run = make_run({"B12": 8}, confidences=[0.7])
    sampling.draw(run)
    _validate(bob, marks | {"accuracy": 2})
    found = judges.report(run)
    assert (found["judged"], found["validated"], found["waiting"]) == (8, 8, 0)
    assert found["agreement"]["exact"]["value"] == 0.75
    assert found["by_criterion"]["accuracy"]["bias"]["value"] == 2.0
    assert found["by_criterion"]["clarity"]["bias"]["value"] == 0.0
    assert found["brier"]["value"] == pytest.approx(0.49)


def test_it_says_how_many_are_still_waiting(make_run: MakeRun, bob: Any, marks: Marks) -> None:
    run = make_run({"B12": 5}, confidences=[0.7, None])
    sampling.draw(run)
    _validate(bob, marks, most=2)
    found = judges.report(run)
    assert (found["unreadable"], found["drawn"], found["waiting"]) == (2, 5, 3)


def test_it_goes_by_blind_marks_even_if_they_were_changed_later(
    make_run: MakeRun, bob: Any, marks: Marks
) -> None:
    run = make_run({"B12": 1}, confidences=[0.7])
    sampling.draw(run)
    found = assignments.next(bob)
    assert found
    submissions.submit(found.pk, bob, dict.fromkeys(marks, 1), token="t1")
    submissions.undo(found.pk, bob)
    submissions.submit(found.pk, bob, marks, token="t2")
    assert judges.judged(run)[0].person == 0.0


def test_it_is_defined_without_any_validation(make_run: MakeRun) -> None:
    found = judges.report(make_run({"B12": 3}, confidences=[0.9]))
    assert found["validated"] == 0
    assert found["agreement"]["exact"]["value"] is None
    assert found["agreement"]["exact"]["reason"]
