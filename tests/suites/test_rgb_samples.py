"""The RGB samples: every row reads, relevant documents hold the answer, and no other document does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scoring.rgb import is_correct, matching
from scoring.rgb.abilities import language
from scoring.rgb.rules import is_chinese
from scoring.suites import rgb

FOLDER = Path(__file__).parents[2] / "samples" / "rgb"


def rows(ability: str) -> list[dict[str, Any]]:
    lines = (FOLDER / f"{ability}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def every_row() -> Iterator[dict[str, Any]]:
    return (row for ability in rgb.BENCHMARKS for row in rows(ability))


def spellings(answers: Any) -> list[str]:
    return [spelling for item in matching.required(answers) for spelling in item]


def named(text: str, answers: Any) -> list[str]:
    return [spelling for spelling in spellings(answers) if is_correct(text, spelling)]


def flat(row: dict[str, Any]) -> list[str]:
    nested = [part if isinstance(part, list) else [part] for part in row["positive"]]
    return [text for part in nested for text in part]


@pytest.mark.parametrize("ability", rgb.BENCHMARKS)
def test_it_reads_every_row_of_each_file_as_its_ability(ability: str) -> None:
    read = [rgb.read(row, rgb.BENCHMARKS) for row in rows(ability)]
    assert len(read) >= 14
    assert {row.benchmark for row in read} == {ability}


def test_it_gives_every_row_an_id_and_a_question_of_its_own() -> None:
    everything = list(every_row())
    assert len({row["id"] for row in everything}) == len(everything)
    assert len({row["query"] for row in everything}) == len(everything)


@pytest.mark.parametrize(
    "ability", ["noise_robustness", "information_integration", "counterfactual_robustness"]
)
def test_it_deduces_the_ability_and_the_language_that_a_row_states(ability: str) -> None:
    bare = [{key: row[key] for key in row if key not in ("ability", "language")} for row in rows(ability)]
    assert {rgb.read(row, rgb.BENCHMARKS).benchmark for row in bare} == {ability}
    assert [language(row) for row in bare] == [row["language"] for row in rows(ability)]


def test_it_has_five_documents_of_each_kind_that_an_ability_needs() -> None:
    for row in every_row():
        assert len(row["negative"]) >= 5, row["id"]
        assert row["ability"] == "negative_rejection" or len(flat(row)) >= 5, row["id"]
        assert row["ability"] != "counterfactual_robustness" or len(row["positive_wrong"]) >= 5, row["id"]


def test_it_shows_no_document_twice_in_a_row() -> None:
    for row in every_row():
        shown = [*flat(row), *row["negative"], *row.get("positive_wrong", [])]
        assert len(set(shown)) == len(shown), row["id"]


def test_it_has_documents_of_the_length_of_a_paragraph() -> None:
    for row in every_row():
        for text in [*flat(row), *row["negative"], *row.get("positive_wrong", [])]:
            low, high, length = (50, 160, len(text)) if is_chinese(text) else (30, 80, len(text.split()))
            assert low <= length <= high, text


@pytest.mark.parametrize("ability", ["noise_robustness", "counterfactual_robustness"])
def test_it_has_the_answer_in_every_relevant_document(ability: str) -> None:
    for row in rows(ability):
        assert all(is_correct(text, row["answer"]) for text in row["positive"]), row["id"]


def test_it_has_no_part_of_the_answer_in_any_noise() -> None:
    for row in every_row():
        leaks = [text for text in row["negative"] if named(text, row["answer"])]
        assert not leaks, (row["id"], leaks)


def test_it_answers_each_part_of_an_integration_in_its_own_documents_only() -> None:
    for row in rows("information_integration"):
        items = matching.required(row["answer"])
        assert len(items) == len(row["positive"]), row["id"]
        for number, part in enumerate(row["positive"]):
            others = [item for other, item in enumerate(items) if other != number]
            assert all(named(text, [items[number]]) for text in part), row["id"]
            assert not [text for text in part if named(text, others)], row["id"]


def test_it_plants_the_false_answer_and_hides_the_right_one() -> None:
    for row in rows("counterfactual_robustness"):
        assert all(is_correct(text, row["fakeanswer"]) for text in row["positive_wrong"]), row["id"]
        assert not [text for text in row["positive_wrong"] if named(text, row["answer"])], row["id"]
        others = [*row["positive"], *row["negative"]]
        assert not [text for text in others if named(text, row["fakeanswer"])], row["id"]


def test_it_gives_no_answer_away_in_the_question() -> None:
    for row in every_row():
        assert not named(row["query"], row["answer"]), row["id"]


@pytest.mark.parametrize("noise", [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
def test_it_mixes_five_documents_at_every_noise_level_without_a_shortage(noise: float) -> None:
    for row in rows("noise_robustness"):
        mixed = rgb.mixture(row, noise=noise, seed=1)
        assert (len(mixed.documents), mixed.notes) == (5, ()), row["id"]


def test_it_lets_a_right_answer_pass_and_the_planted_one_fail() -> None:
    for row in every_row():
        sample = rgb.sample(row, " and ".join(item[0] for item in matching.required(row["answer"])))
        assert is_correct(sample.response, sample.answers), row["id"]
        assert not (sample.fake_answer and is_correct(sample.fake_answer, sample.answers)), row["id"]
