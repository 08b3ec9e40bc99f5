"""Error detection: the keyword or the denial and where it stands, when it is undefined, the flags."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scoring.measurement import Sample
from scoring.metrics.error_detection import EXAMPLE, measure
from scoring.rgb.counterfactual import detects_error


def test_it_names_the_keyword_and_marks_it() -> None:
    found = measure(EXAMPLE)
    span = found.spans[0]
    assert (found.value, found.evidence["keyword"]) == (1.0, "incorrect")
    assert EXAMPLE.response[span.start : span.end] == "incorrect"


def test_it_marks_the_denial_of_the_planted_answer() -> None:
    response = "It is surely not London."
    found = measure(Sample(response, fake_answer="London"))
    assert found.evidence["source"] == "denial of the planted answer"
    assert response[found.spans[0].start : found.spans[0].end] == "not London"


def test_it_flags_a_linking_word_that_stands_alone() -> None:
    alone = measure(Sample("However, it is London.", fake_answer="London"))
    backed = measure(Sample("However, it should be Paris.", fake_answer="London"))
    assert alone.flags == ("Caught by a linking word alone: it may not speak of an error.",)
    assert backed.flags == ()


def test_it_scores_a_repetition_of_the_documents_zero() -> None:
    found = measure(Sample("According to the documents, it is London.", fake_answer="London"))
    assert (found.value, found.spans) == (0.0, ())


def test_it_is_none_without_a_planted_error() -> None:
    assert measure(Sample("That is wrong.")).value is None
    assert measure(Sample("That is wrong.", fake_answer="")).value is None


def test_it_scores_by_the_papers_rule_when_set() -> None:
    settings = {"scorer": "paper"}
    assert measure(Sample("That is wrong.", fake_answer="x", settings=settings)).value == 0.0
    assert measure(Sample("There are factual errors.", fake_answer="x", settings=settings)).value == 1.0


@given(st.text(max_size=60), st.text(min_size=1, max_size=12))
def test_it_agrees_with_the_plain_function(response: str, fake: str) -> None:
    assert measure(Sample(response, fake_answer=fake)).value == float(detects_error(response, fake))
