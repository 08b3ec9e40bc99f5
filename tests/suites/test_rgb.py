"""RGB's rows: the authors' shapes load as they are, every problem is named, prompts and samples fit."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import registry
from scoring.measurement import Sample
from scoring.rows import Row, RowError
from scoring.suites import rgb

GOOD = [f"SSH listens on port 22, says source {number}." for number in range(6)]
NOISE = [f"Telnet is older, says source {number}." for number in range(6)]
PLAIN = {"id": 7, "query": "Which port does SSH use?", "answer": ["22"], "positive": GOOD, "negative": NOISE}
NESTED = PLAIN | {"positive": [GOOD[:2], ["SFTP runs over SSH."]], "answer": ["22", ["SSH", "Secure Shell"]]}
PLANTED = PLAIN | {"answer": "22", "fakeanswer": "23", "positive_wrong": ["SSH listens on port 23."] * 2}
UNANSWERED = {"id": "n-1", "query": "Which port does SSH use?", "negative": NOISE, "positive": []}


def read(row: Mapping[str, Any]) -> Row:
    return rgb.read(row, rgb.BENCHMARKS)


def problems(row: Mapping[str, Any]) -> dict[str, str]:
    with pytest.raises(RowError) as caught:
        read(row)
    return dict(caught.value.problems)


@pytest.mark.parametrize(
    ("row", "ability"),
    [
        (PLAIN, "noise_robustness"),
        (NESTED, "information_integration"),
        (NESTED | {"asnwer1": ["22"], "answer2": []}, "information_integration"),
        (PLANTED, "counterfactual_robustness"),
        (PLANTED | {"fakeanswer": ["23", "Telnet"], "negative": []}, "counterfactual_robustness"),
        (UNANSWERED, "negative_rejection"),
        (PLAIN | {"ability": "Negative rejection"}, "negative_rejection"),
        (PLAIN | {"fakeanswer": "", "positive_wrong": []}, "noise_robustness"),
    ],
)
def test_it_reads_the_authors_shapes_and_knows_their_ability(row: dict[str, Any], ability: str) -> None:
    found = read(row)
    assert (found.benchmark, found.fields) == (ability, row)


def test_it_sorts_numbers_as_people_do() -> None:
    assert read(PLAIN | {"id": 9}).sort < read(PLAIN | {"id": 10}).sort
    assert read(PLAIN | {"id": "n-9"}).sort < read(PLAIN | {"id": "n-10"}).sort


def test_it_fits_the_columns_of_a_case() -> None:
    found = read(PLAIN | {"id": "1a" * 100, "difficulty": "HIGH", "topic": "Protocols"})
    assert (len(found.key), len(found.sort)) == (200, 220)
    assert (found.difficulty, found.section, found.category) == (
        "High",
        "Protocols",
        "Retrieval-augmented generation",
    )


def test_it_searches_answers_in_every_spelling() -> None:
    assert read(NESTED).text == "22\nSSH\nSecure Shell"
    assert read(PLANTED).text == "22\n23"


def test_it_names_every_problem_of_an_empty_row_at_once() -> None:
    assert set(problems({})) == {"id", "query", "negative"}


def test_it_names_every_problem_of_a_bad_row_at_once() -> None:
    row = {
        "id": True,
        "query": " ",
        "answer": 22,
        "positive": "x",
        "negative": [1, "ok", ""],
        "language": "fr",
    }
    found = problems(row | {"difficulty": "hard", "topic": ["x"]})
    assert set(found) == {"id", "query", "answer", "positive", "negative", "language", "difficulty", "topic"}
    assert found["answer"] == "is a number: put 22 in quotation marks."
    assert found["negative"] == "has documents that are empty or no text: 1, 3."


@pytest.mark.parametrize(
    "answer", [None, "", " ", [], [""], [[]], [["a", 1]], [1], {"a": 1}, [[["a"]]], True]
)
def test_it_refuses_answers_of_another_shape(answer: object) -> None:
    assert set(problems(PLAIN | {"answer": answer})) == {"answer"}
    assert set(problems(PLANTED | {"fakeanswer": answer})) == {"fakeanswer"}


@pytest.mark.parametrize("key", [None, True, 1.5, "", " ", "x" * 201, [1], {}])
def test_it_refuses_an_id_that_cannot_be_a_key(key: object) -> None:
    assert set(problems(PLAIN | {"id": key})) == {"id"}


def test_it_says_which_part_of_an_integration_row_lacks_documents() -> None:
    assert set(problems(PLAIN | {"positive": [GOOD, []]})) == {"positive, part 2"}
    assert set(problems(PLAIN | {"positive": [GOOD]})) == {"positive"}
    assert set(problems(PLAIN | {"positive": [GOOD, "loose"]})) == {"positive"}


def test_it_holds_a_row_to_the_ability_it_claims() -> None:
    assert set(problems(PLAIN | {"ability": "counterfactual_robustness"})) == {"fakeanswer", "positive_wrong"}
    assert set(problems(PLAIN | {"ability": "information integration"})) == {"positive"}
    assert set(problems(PLAIN | {"ability": "memory"})) == {"ability"}
    assert set(problems(PLAIN | {"ability": "negative_rejection", "negative": []})) == {"negative"}


def test_it_hints_at_the_suite_a_row_was_written_for() -> None:
    assert "CCoP" in problems({"test_id": "B1-001"})["query"]
    assert "question instead" in problems({"id": 1, "question": "Why?"})["query"]


def test_it_asks_in_the_rows_language_with_the_papers_two_sentences() -> None:
    english = rgb.prompts(PLAIN)[0]["content"]
    chinese = rgb.prompts(PLAIN | {"query": "SSH使用哪个端口？"})[0]["content"]
    assert "I can not answer the question because of the insufficient information in documents." in english
    assert "There are factual errors in the provided documents." in english
    assert "信息不足" in chinese
    assert "事实性错误" in chinese


def test_it_shows_five_documents_and_the_question_and_never_their_kind() -> None:
    system, user = rgb.prompts(PLAIN, noise=0.4, seed=3)
    assert (system["role"], user["role"]) == ("system", "user")
    assert sum(text in user["content"] for text in GOOD) == 3
    assert sum(text in user["content"] for text in NOISE) == 2
    assert user["content"].endswith("Which port does SSH use?")
    assert "noise" not in user["content"]


def test_it_shows_the_documents_that_each_ability_asks_for() -> None:
    kinds = {
        name: {d.kind for d in rgb.mixture(row, noise=0.2).documents} for name, row in named_rows().items()
    }
    assert kinds["plain"] == kinds["nested"] == {"relevant", "noise"}
    assert kinds["planted"] == {"wrong", "noise"}
    assert kinds["unanswered"] == {"noise"}


def test_it_shuffles_cases_differently_and_one_case_always_alike() -> None:
    orders = {tuple(rgb.mixture(PLAIN | {"id": key}, seed=1).documents) for key in range(20)}
    assert len(orders) > 5
    assert rgb.prompts(PLAIN, seed=1, noise=0.4) == rgb.prompts(dict(PLAIN), seed=1, noise=0.4)


def test_it_leaves_braces_in_a_question_alone() -> None:
    assert rgb.prompts(PLAIN | {"query": "What is {x} %s?"})[1]["content"].endswith("What is {x} %s?")


def test_it_joins_case_and_response_without_the_reasoning() -> None:
    sample = rgb.sample(NESTED, "<think>22?</think>22, SSH", noise=0.4, settings={"scorer": "paper"})
    assert (sample.response, sample.expected_response) == ("22, SSH", "22; SSH")
    assert (sample.answers, sample.language, sample.benchmark) == (
        NESTED["answer"],
        "en",
        "information_integration",
    )
    assert sample.settings == {"scorer": "paper"}


def test_it_measures_noise_robustness_by_the_answer_and_at_full_noise_by_the_refusal() -> None:
    assert score(PLAIN, "It is 22.", noise=0.8) == 1.0
    assert score(PLAIN, "I cannot answer.", noise=0.8) == 0.0
    assert score(PLAIN, "It is 22.", noise=1.0) == 0.0
    assert score(PLAIN, "I cannot answer.", noise=1.0) == 1.0


def test_it_measures_the_other_abilities() -> None:
    assert score(UNANSWERED, "I cannot answer.") == 1.0
    assert score(NESTED, "22 with SSH") == 1.0
    assert score(NESTED, "22") == 0.0
    assert score(PLANTED, "The documents are wrong: 22.") == 1.0
    assert score(PLANTED, "23") == 0.0


def test_it_gives_no_overall_when_nothing_that_counts_is_defined() -> None:
    assert rgb.overall({"rejection": None}, {"rejection": 1.0}) is None
    assert rgb.overall({"error_detection": 1.0}, {"error_detection": 0.0}) is None
    assert rgb.overall({}, {}) is None


def test_it_flags_detection_and_correction_that_disagree() -> None:
    assert rgb.flags({"error_detection": 1.0, "error_correction": 0.0}, {}, 0.5)[0].startswith("Noticed")
    assert rgb.flags({"error_detection": 0.0, "error_correction": 1.0}, {}, 0.5)[0].startswith(
        "Gave the right"
    )
    assert rgb.flags({"error_detection": 1.0, "error_correction": 1.0}, {}, 0.5) == ()


def test_it_waits_for_nobody() -> None:
    assert rgb.pending({}, rgb.BENCHMARKS["noise_robustness"]) == ""


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner)
)


@given(st.dictionaries(st.sampled_from([*PLANTED, "ability", "language", "difficulty", "topic"]), values))
def test_it_reads_or_refuses_any_row_and_asks_what_it_read(row: dict[str, Any]) -> None:
    for candidate in (row, PLAIN | row, PLANTED | row, NESTED | row):
        with suppress(RowError):
            found = read(candidate)
            assert rgb.prompts(found.fields, noise=0.4)[-1]["content"]
            assert isinstance(rgb.sample(found.fields, "22"), Sample)


def named_rows() -> dict[str, dict[str, Any]]:
    return {"plain": PLAIN, "nested": NESTED, "planted": PLANTED, "unanswered": UNANSWERED}


def score(row: Mapping[str, Any], response: str, noise: float = 0.0) -> float | None:
    weights = rgb.plan(row, rgb.BENCHMARKS[read(row).benchmark])
    sample = rgb.sample(row, response, noise=noise)
    metrics = {name: registry.plugin("scoring.metrics", name) for name in weights}
    return rgb.overall({name: metric.measure(sample).value for name, metric in metrics.items()}, weights)
