"""Error correction: the right answer, the planted one repeated, when it is undefined, the marks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measurement import Sample
from scoring.metrics.error_correction import EXAMPLE, measure
from scoring.rgb.counterfactual import corrects_error


def test_it_marks_the_right_answer_and_notes_the_planted_one() -> None:
    found = measure(EXAMPLE)
    marked = {(EXAMPLE.response[span.start : span.end], span.kind) for span in found.spans}
    assert found.value == 1.0
    assert marked == {("Paris", "good"), ("London", "note")}


def test_it_says_whether_the_error_was_noticed_as_well() -> None:
    silent = measure(replace(EXAMPLE, response="Paris"))
    assert measure(EXAMPLE).evidence["detected"] is True
    assert (silent.value, silent.evidence["detected"]) == (1.0, False)


def test_it_blames_the_planted_answer_that_is_repeated() -> None:
    response = "the port is tcp 80 by default, 443 never"
    found = measure(Sample(response, answers="default port 443 is tcp", fake_answer="tcp 80 by default"))
    assert (found.value, found.spans[-1].kind) == (0.0, "bad")
    assert found.why == (
        "The response repeats the planted “tcp 80 by default”, and holds the right answer only in part."
    )


@pytest.mark.parametrize("response", ["According to the documents, it is London.", "Wrong: it is Tokyo.", ""])
def test_it_scores_zero_without_the_right_answer(response: str) -> None:
    assert measure(replace(EXAMPLE, response=response)).value == 0.0


def test_it_is_none_without_a_planted_error_or_a_right_answer() -> None:
    assert measure(replace(EXAMPLE, fake_answer=None)).why == "The case plants no error."
    assert measure(replace(EXAMPLE, answers=None)).why == "The case has no expected answer."
    assert measure(replace(EXAMPLE, answers=None)).value is None


def test_it_takes_nested_answers_on_both_sides() -> None:
    sample = Sample(
        "Not the UK but Paris", answers=[["Paris", "Paris, France"]], fake_answer=[["UK"], "London"]
    )
    assert measure(sample).value == 1.0


def test_it_scores_by_the_papers_rule_when_set() -> None:
    sample = Sample("Insufficient information, Paris", answers="Paris", fake_answer="London")
    assert measure(sample).value == 1.0
    assert measure(replace(sample, settings={"scorer": "paper"})).value == 0.0


@given(st.text(max_size=60), st.text(min_size=1, max_size=12), st.text(min_size=1, max_size=12))
def test_it_agrees_with_the_plain_function(response: str, right: str, fake: str) -> None:
    found = measure(Sample(response, answers=right, fake_answer=fake))
    assert found.value == float(corrects_error(response, right, fake))
    assert all(0 <= span.start < span.end <= len(response) for span in found.spans)
