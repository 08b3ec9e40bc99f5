"""Rubric marks: from 1..5 to 0..1, over criteria and then over reviewers; people's and the judge's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measurement import Sample
from scoring.metrics import judge_rubric, rubric

MARKS = st.dictionaries(
    st.sampled_from(("accuracy", "completeness", "practicality", "clarity")), st.integers(1, 5)
)


@pytest.mark.parametrize(("mark", "score"), [(1, 0.0), (2, 0.25), (3, 0.5), (4, 0.75), (5, 1.0)])
def test_it_turns_a_mark_from_one_to_five_into_zero_to_one(mark: int, score: float) -> None:
    assert rubric.score([{"accuracy": mark}]) == score


def test_it_takes_the_mean_over_criteria_and_then_over_reviewers() -> None:
    ratings = [{"accuracy": 5, "clarity": 5, "practicality": 5}, {"accuracy": 1}]
    assert rubric.score(ratings) == 0.5


def test_it_leaves_out_a_reviewer_without_marks() -> None:
    assert rubric.score([{}, {"accuracy": 5}]) == 1.0
    assert rubric.score([]) is rubric.score([{}]) is None


@pytest.mark.parametrize("mark", [0, 6, 0.99, float("nan"), float("inf"), None, "4", True])
def test_it_names_a_mark_that_is_none(mark: object) -> None:
    with pytest.raises(rubric.MarkError, match=r"marks\[1\]\['clarity'\] is .*: marks run from 1 to 5"):
        rubric.score([{"clarity": 3}, {"clarity": mark}])  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("metric", "why"),
    [
        (rubric, "Nobody has marked the response yet: it is awaiting review."),
        (judge_rubric, "There is no readable verdict yet: it is awaiting judgement."),
    ],
)
def test_it_is_undefined_until_it_is_marked(metric: object, why: str) -> None:
    found = metric.measure(Sample("Close the accounts."))  # type: ignore[attr-defined]
    assert (found.value, found.why) == (None, why)


def test_it_is_undefined_with_a_mark_that_is_none() -> None:
    found = rubric.measure(Sample("x", marks=[{"accuracy": 9}]))
    assert (found.value, found.why) == (None, "marks[0]['accuracy'] is 9: marks run from 1 to 5.")


def test_it_shows_every_reviewer() -> None:
    found = rubric.measure(Sample("x", marks=[{"accuracy": 5}, {"accuracy": 3}]))
    assert found.why == "The mean mark of 2 reviewers is 4.00 of 5."
    assert found.evidence == {"marks": [{"accuracy": 5}, {"accuracy": 3}], "scores": [1.0, 0.5]}


@given(st.lists(MARKS, max_size=5))
def test_it_stays_within_the_marks(ratings: list[dict[str, int]]) -> None:
    score = rubric.score(ratings)
    marks = [(mark - 1) / 4 for review in ratings for mark in review.values()]
    assert (score is None) == (not marks)
    assert score is None or min(marks) - 1e-12 <= score <= max(marks) + 1e-12


@given(st.lists(MARKS, min_size=1, max_size=5))
def test_it_counts_the_judges_marks_as_it_does_peoples(ratings: list[dict[str, int]]) -> None:
    sample = Sample("An answer.", marks=ratings)
    assert rubric.measure(sample).value == judge_rubric.measure(sample).value
