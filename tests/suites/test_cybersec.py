"""CyberSecLLM's rows: what is read, every problem named, prompts, samples, and the ranking number."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import measuring, registry
from scoring.language.embeddings import embed
from scoring.measurement import TokenScores
from scoring.rows import Row, RowError
from scoring.suites import cybersec

PLAIN = {"id": "cs-7", "question": "What is a zero-day vulnerability?"}
FULL = PLAIN | {
    "reference_answer": "A flaw that its vendor does not know of yet.",
    "expected_length": 40,
    "topic": "Vulnerabilities",
    "difficulty": "medium",
    "metadata": {"domain": "IT", "source": "ours"},
}
ANSWER = "A zero-day is a flaw unknown to its vendor. Attackers exploit it before a patch exists."
TOKENS = TokenScores(logprobs=[-0.2, -0.1], top_logprobs=[[-0.2, -2.0], [-0.1, -3.0]], vocabulary=32_000)
SUITE: Any = cybersec
(BENCHMARK,) = cybersec.BENCHMARKS.values()


def read(row: Mapping[str, Any]) -> Row:
    return cybersec.read(row, cybersec.BENCHMARKS)


def test_it_reads_the_least_and_the_most_that_a_row_can_hold() -> None:
    least, most = read(PLAIN), read(FULL)
    assert (least.key, least.section, least.difficulty, least.domain) == ("cs-7", "", "", "")
    assert (most.section, most.difficulty, most.domain) == ("Vulnerabilities", "Medium", "IT")
    assert most.text == FULL["reference_answer"]
    assert most.fields is FULL


def test_it_sorts_numbers_as_people_do() -> None:
    assert read(PLAIN | {"id": 9}).sort < read(PLAIN | {"id": 10}).sort


def test_it_names_every_problem_of_a_row_at_once() -> None:
    row = {
        "id": True,
        "question": " ",
        "expected_length": 0,
        "reference_answer": 1,
        "topic": "t" * 201,
        "difficulty": "easy",
        "metadata": {"domain": 5},
    }
    with pytest.raises(RowError) as caught:
        read(row)
    named = [problem.field for problem in caught.value.problems]
    assert sorted(named) == sorted([*list(row)[:-1], "metadata.domain"])


@pytest.mark.parametrize("length", [0, -1, math.nan, math.inf, "60", True, []])
def test_it_refuses_a_length_that_is_no_number_above_zero(length: Any) -> None:
    with pytest.raises(RowError, match="expected_length: must be a number of words above 0"):
        read(PLAIN | {"expected_length": length})


def test_it_asks_a_row_of_another_suite_whether_it_is_in_the_right_place() -> None:
    with pytest.raises(RowError, match="is it an RGB case"):
        read({"id": 1, "query": "What is TLS?"})


def test_it_asks_the_question_as_it_stands() -> None:
    system, user = cybersec.prompts(FULL, noise=0.4, seed=3)
    assert (system["role"], user) == ("system", {"role": "user", "content": FULL["question"]})


def test_it_joins_case_and_answer_without_the_models_reasoning() -> None:
    joined = cybersec.sample(FULL, "<think>Hm.</think>A flaw.", siblings=["<think>So</think>A bug."])
    assert (joined.response, joined.siblings) == ("A flaw.", ["A bug."])
    assert joined.expected_length == 40
    assert cybersec.sample(PLAIN, "A flaw.").expected_length == 60


def test_it_plans_metrics_that_exist_and_counts_the_combined_score_alone() -> None:
    plan = cybersec.plan(PLAIN, BENCHMARK)
    assert set(plan) <= set(registry.plugins("scoring.metrics"))
    assert {name for name, weight in plan.items() if weight} == {"combined"}
    assert len(plan) == 12


def test_it_scores_an_answer_by_its_combined_score() -> None:
    result = measuring.measure(
        SUITE, FULL, BENCHMARK, ANSWER, threshold=0.15, embed=embed, tokens=TOKENS, siblings=["A flaw."]
    )
    values = result.values
    assert result.overall == values["combined"]
    assert values["coherence"] - values["hallucination"] - 0.01 * values["perplexity"] == result.overall  # type: ignore[operator]
    assert {name for name, value in values.items() if value is None} == {"kl_shift", "answer_quality"}


def test_it_does_not_rank_an_answer_without_log_probabilities_and_says_why() -> None:
    result = measuring.measure(SUITE, FULL, BENCHMARK, ANSWER, threshold=0.15, embed=embed)
    assert (result.overall, result.passed, result.pending) == (None, None, "")
    assert "Not ranked: no hallucination, no perplexity." in result.flags


@given(
    st.dictionaries(st.sampled_from([*FULL, "query", "other"]), st.one_of(st.none(), st.text(), st.floats()))
)
def test_it_reads_or_refuses_anything(row: dict[str, Any]) -> None:
    with suppress(RowError):
        assert read(row).key
