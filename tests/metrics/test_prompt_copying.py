"""Prompt copying: formula, marks, bad input."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scoring.language.bare_words import bare_words
from scoring.measurement import Sample
from scoring.metrics.prompt_copying import measure


def test_it_counts_each_word_of_the_question_once() -> None:
    found = measure(Sample("Phishing steals passwords.", question="Phishing, phishing: what is PHISHING?"))
    assert found.value == 1 / 3
    assert found.evidence == {"copied": ["phishing"], "not_copied": ["what", "is"]}


def test_it_is_one_for_an_echo_and_zero_for_silence() -> None:
    question = "How does TLS 1.3 work?"
    assert measure(Sample(f"{question} {question}", question=question)).value == 1.0
    assert measure(Sample("", question=question)).value == 0.0


def test_it_marks_the_copied_words() -> None:
    response = "“Malware”  spreads; malware hides."
    found = measure(Sample(response, question="What is malware?"))
    assert [response[span.start : span.end] for span in found.spans] == ["Malware", "malware"]


def test_it_is_none_without_a_question() -> None:
    found = measure(Sample("An answer.", question=" ?! "))
    assert (found.value, found.why) == (None, "The question has no words.")


@given(st.text(max_size=100), st.text(max_size=100))
def test_it_is_a_share_of_the_questions_words(question: str, answer: str) -> None:
    found = measure(Sample(answer, question=question))
    asked = set(bare_words(question))
    assert found.value == (len(asked & set(bare_words(answer))) / len(asked) if asked else None)
