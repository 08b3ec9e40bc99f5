"""Answer correctness: the value, the step that decided, the marks in the response, the flags."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scoring.measurement import Sample
from scoring.metrics.answer_correctness import EXAMPLE, measure
from scoring.rgb.matching import is_correct
from scoring.rgb.rules import SHORT_RESPONSE


def test_it_marks_the_answer_where_it_stands() -> None:
    found = measure(EXAMPLE)
    span = found.spans[0]
    assert (found.value, found.why) == (1.0, "“Paris” is in the response.")
    assert (EXAMPLE.response[span.start : span.end], span.kind) == ("Paris", "good")


def test_it_marks_the_answer_in_a_text_that_folding_shortens() -> None:
    response = "Ti\u200bp:  it’s   “Let’s\u00a0Encrypt”\u2026"
    span = measure(Sample(response, answers="let's encrypt")).spans[0]
    assert response[span.start : span.end] == "Let’s\u00a0Encrypt"


def test_it_marks_the_answer_after_a_letter_that_lowering_lengthens() -> None:
    response = "İstanbul, not Paris"
    span = measure(Sample(response, answers="Paris")).spans[0]
    assert response[span.start : span.end] == "Paris"


def test_it_shows_matched_and_missing_words_with_the_share() -> None:
    found = measure(Sample("TLS uses TCP, port 443", answers="TCP and UDP port 443 only"))
    item = found.evidence["answers"][0]
    assert (item["matched"], item["missing"]) == (("port", "443"), ("tcp", "and", "udp", "only"))
    assert found.why.startswith("2 of 6 words of “TCP and UDP port 443 only” are in the response: 33%")
    assert [found.spans[0].kind, len(found.spans)] == ["note", 2]


def test_it_flags_a_near_miss() -> None:
    found = measure(Sample("delta charlie bravo", answers="alpha bravo charlie delta"))
    assert found.value == 0.0
    assert found.flags[0].startswith("Near miss")


def test_it_marks_all_of_a_response_that_is_a_part_of_the_answer_and_flags_a_short_one() -> None:
    found = measure(Sample("22", answers="port 22"))
    assert (found.value, found.why) == (1.0, "The response is a part of “port 22”.")
    assert found.spans[0][:2] == (0, 2)
    assert SHORT_RESPONSE in found.flags


def test_it_says_which_of_several_answers_is_missing() -> None:
    found = measure(Sample("It uses UDP.", answers=[["UDP", "User Datagram Protocol"], "53"]))
    assert found.value == 0.0
    assert found.why.startswith("1 of 2 required answers are given. 0 of 1 words of “53”")


def test_it_flags_a_refusal_among_answerable_questions() -> None:
    found = measure(Sample("I cannot answer.", answers="Paris"))
    assert "The response has the words of a refusal." in found.flags


def test_it_scores_by_the_papers_rule_when_set() -> None:
    found = measure(Sample("22", answers="port 22", settings={"scorer": "paper"}))
    refused = measure(Sample("Insufficient information: 22", answers="22", settings={"scorer": "paper"}))
    assert (found.value, found.why) == (0.0, "“port 22” is not in the response.")
    assert (refused.value, refused.why) == (0.0, "The response declines to answer.")


def test_it_reads_literally_when_set() -> None:
    literal = measure(Sample("it’s", answers="it's", settings={"literal": True}))
    assert (literal.value, literal.evidence["literal"]) == (0.0, True)


def test_it_is_none_without_answers_and_where_the_right_response_is_to_decline() -> None:
    assert measure(Sample("Paris")).value is None
    assert measure(Sample("Paris", answers=[])).value is None
    assert measure(Sample("Paris", answers="Paris", benchmark="negative_rejection")).value is None


def test_it_scores_a_blank_response_zero() -> None:
    found = measure(Sample(" ", answers="Paris"))
    assert (found.value, found.why) == (0.0, "The response or the expected answer is empty.")


@given(st.text(max_size=60), st.text(max_size=12))
def test_it_agrees_with_the_plain_function_and_marks_within_the_text(response: str, answer: str) -> None:
    found = measure(Sample(response, answers=[answer]))
    assert found.value == float(is_correct(response, answer))
    assert all(0 <= span.start < span.end <= len(response) for span in found.spans)
