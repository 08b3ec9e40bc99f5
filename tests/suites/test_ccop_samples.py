"""The CCoP 2.0 sample cases: they read, cover the methodology, and their own answers earn full marks."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from scoring.ccop import code, criteria, key_terms
from scoring.ccop.fabrications import claims_found
from scoring.ccop.references import references
from scoring.language import lexical
from scoring.metrics import (
    citation_accuracy,
    grounding,
    hallucination_resistance,
    key_fact_recall,
    label_match,
    terminology_accuracy,
    violation_detection,
)
from scoring.suites import ccop

FOLDER = Path(__file__).parents[2] / "samples" / "ccop"
FILES = sorted(FOLDER.glob("b*.jsonl"))
ROWS: list[dict[str, Any]] = [
    json.loads(line) for file in FILES for line in file.read_text(encoding="utf-8").splitlines()
]
DIFFICULTIES = {"Low", "Medium", "High", "Critical"}
# The sectors of the essential services that the Cybersecurity Act lists.
SECTORS = {
    "Aviation",
    "Banking and Finance",
    "Energy",
    "Government",
    "Healthcare",
    "Infocomm",
    "Land Transport",
    "Maritime",
    "Media",
    "Security and Emergency Services",
    "Water",
}
METRICS = (
    citation_accuracy,
    grounding,
    hallucination_resistance,
    key_fact_recall,
    label_match,
    terminology_accuracy,
    violation_detection,
)

LABELLED = [row for row in ROWS if "expected_label" in row]
CITING = [row for row in ROWS if "clause_reference" in row]
# What a right answer says word for word when it denies it: "not all ...", "nothing in the Code requires ...",
# "there is no clause 5.18".
REPEATED = re.compile(
    r"(?:all|any|each|every|only|the Code (?:requires|mandates|prohibits))\b.*|clause [\d.]+", re.I
)

every_case = pytest.mark.parametrize("row", ROWS, ids=[row["test_id"] for row in ROWS])
every_citing_case = pytest.mark.parametrize("row", CITING, ids=[row["test_id"] for row in CITING])
every_labelled_case = pytest.mark.parametrize("row", LABELLED, ids=[row["test_id"] for row in LABELLED])


def by_benchmark() -> dict[str, list[dict[str, Any]]]:
    found = defaultdict(list)
    for row in ROWS:
        found[row["test_id"].partition("-")[0]].append(row)
    return found


@every_case
def test_it_reads_by_the_rules_of_the_suite(row: dict[str, Any]) -> None:
    read = ccop.read(row, ccop.BENCHMARKS)
    assert (read.key, read.fields, read.domain) == (row["test_id"], row, row["metadata"]["domain"])
    assert (read.section, read.difficulty) == (row["section"], row["difficulty"])


def test_it_keeps_one_benchmark_to_a_file_in_the_order_of_its_numbers() -> None:
    expected = [f"B{number}" for number in range(1, 22)]
    assert [int(file.name[1:3]) for file in FILES] == [int(benchmark[1:]) for benchmark in expected]
    assert list(by_benchmark()) == expected
    for benchmark, rows in by_benchmark().items():
        assert [row["test_id"] for row in rows] == [f"{benchmark}-{n:03}" for n in range(1, len(rows) + 1)]


def test_it_asks_everything_once() -> None:
    for field in ("test_id", "question", "expected_response"):
        assert Counter(row[field] for row in ROWS).most_common(1)[0][1] == 1, field


@pytest.mark.parametrize("benchmark", ccop.BENCHMARKS)
def test_it_has_five_cases_of_all_difficulties_for_each_benchmark(benchmark: str) -> None:
    rows = by_benchmark()[benchmark]
    assert len(rows) >= 5
    assert {row["difficulty"] for row in rows} == DIFFICULTIES
    assert len({row["metadata"]["domain"] for row in rows}) >= 2


def test_it_covers_every_domain_and_sector_and_section_of_the_code() -> None:
    domains = Counter(row["metadata"]["domain"] for row in ROWS)
    assert set(domains) == {"IT", "OT", "IT/OT"}
    assert min(domains.values()) >= 20
    assert {row["metadata"]["sector"] for row in ROWS} == SECTORS
    sections = {row["clause_reference"].partition(".")[0] for row in ROWS if "clause_reference" in row}
    assert sections == {str(number) for number in range(1, 12)}


@every_case
def test_it_earns_full_marks_with_its_own_answer(row: dict[str, Any]) -> None:
    sample = ccop.sample(row, row["expected_response"])
    values = {metric.__name__: metric.measure(sample).value for metric in METRICS}
    assert {name: value for name, value in values.items() if value not in {None, 1.0}} == {}


@every_case
def test_it_earns_no_key_fact_by_repeating_the_question(row: dict[str, Any]) -> None:
    shown = lexical.view(row["question"])
    measured = key_terms.coverage(shown, row["key_facts"], "facts")
    assert [found["statement"] for found in measured.evidence["statements"] if found["covered"]] == []


@every_case
def test_it_cites_only_what_the_code_has(row: dict[str, Any]) -> None:
    texts = (row["question"], row["evaluation_criteria"]["guidance"], *row["key_facts"])
    assert {found.standing for text in texts for found in references(text)} <= {"exists"}
    assert "clause_reference" not in row or row["clause_reference"] in code.CLAUSES
    number, heading = row["section"].removeprefix("Section ").split(": ")
    assert code.HEADINGS[number] == heading


@every_citing_case
def test_it_answers_with_its_clause_which_is_of_its_section(row: dict[str, Any]) -> None:
    clause = row["clause_reference"]
    assert row["section"].startswith(f"Section {clause.partition('.')[0]}: ")
    assert clause in {found.number for found in references(row["expected_response"])}


@every_case
def test_it_forbids_no_claim_that_its_denial_repeats(row: dict[str, Any]) -> None:
    assert [claim for claim in row["forbidden_claims"] if REPEATED.fullmatch(claim)] == []


@every_case
def test_it_forbids_claims_that_neither_question_nor_answer_makes(row: dict[str, Any]) -> None:
    assert 2 <= len(row["forbidden_claims"]) <= 4
    for text in (row["question"], row["expected_response"]):
        assert claims_found(lexical.view(text), row["forbidden_claims"]) == []


@every_case
def test_it_forbids_claims_that_say_something_whole(row: dict[str, Any]) -> None:
    ends = re.compile(r".*\b(by|of|the|a|an|in|to|for|with|that|is|are|on|from|and|or)", re.IGNORECASE)
    assert [claim for claim in row["forbidden_claims"] if ends.fullmatch(claim)] == []


@every_case
def test_it_fails_an_answer_that_makes_a_forbidden_claim(row: dict[str, Any]) -> None:
    for claim in row["forbidden_claims"]:
        answer = f"{row['expected_response']} Besides, {claim}."
        assert grounding.measure(ccop.sample(row, answer)).value == 0.0


@every_case
def test_it_is_of_a_length_that_people_read(row: dict[str, Any]) -> None:
    assert 40 <= len(row["question"].split()) <= 150
    assert 60 <= len(row["expected_response"].split()) <= 180


@every_labelled_case
def test_it_offers_its_label_and_begins_its_answer_with_it(row: dict[str, Any]) -> None:
    assert row["expected_label"] in criteria.strings(row["evaluation_criteria"], criteria.LABELS)
    assert row["expected_response"].lower().startswith(row["expected_label"].lower())


def test_it_expects_each_label_of_a_pair_somewhere() -> None:
    labels = Counter(row["expected_label"] for row in LABELLED)
    assert min(labels[label] for label in ("Applicable", "Not Applicable", "Compliant", "Non-Compliant")) >= 2
