"""The CCoP suite: the table, rows and all their problems, prompts, samples, plans and overalls."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import registry
from scoring.ccop import benchmarks
from scoring.rows import Benchmark, RowError
from scoring.suites import ccop

OWN = Benchmark("B22", "Cloud exit", "Cloud", "tier2")
KNOWN = {**ccop.BENCHMARKS, "B22": OWN}


def row(**changes: Any) -> dict[str, Any]:
    """Give a row that the suite takes, but for the changes; a field set to ... is left out."""
    fields = {
        "test_id": "B7-001",
        "benchmark_type": "B7",
        "section": "5",
        "clause_reference": "5.1.3",
        "difficulty": "High",
        "question": "Which gaps do you see in how this operator reviews its access rights?",
        "expected_response": "Access rights are not reviewed. Dormant accounts stay open.",
        "evaluation_criteria": {"strategy": "rubric"},
        "key_facts": ["Access rights are reviewed", "Dormant accounts are closed", "Reviews are recorded"],
        "forbidden_claims": ["CCoP requires weekly reviews"],
        "metadata": {"domain": "IT"},
        **changes,
    }
    return {name: value for name, value in fields.items() if value is not ...}


def problems(**changes: Any) -> dict[str, str]:
    with pytest.raises(RowError) as caught:
        ccop.read(row(**changes), KNOWN)
    return dict(caught.value.problems)


def case(code: str, **changes: Any) -> dict[str, Any]:
    return row(
        test_id=f"{code}-001",
        benchmark_type=code,
        expected_label=changes.pop("expected_label", "Compliant"),
        **changes,
    )


def test_it_has_the_21_benchmarks_in_their_categories_and_routes() -> None:
    assert list(ccop.BENCHMARKS) == [f"B{number}" for number in range(1, 22)]
    assert ccop.BENCHMARKS["B7"] == Benchmark("B7", "Gap Identification Quality", "Gap analysis", "tier2")
    assert len({benchmark.category for benchmark in ccop.BENCHMARKS.values()}) == 9


@pytest.mark.parametrize(
    ("route", "codes"),
    [
        ("tier1", "B1 B2 B21"),
        ("tier2", "B7 B10 B14 B16"),
        ("tier3", "B12 B13 B20"),
        ("reasoning", "B3 B4 B5 B6 B8 B9 B11 B15 B17 B18 B19"),
    ],
)
def test_it_sends_each_benchmark_its_way(route: str, codes: str) -> None:
    assert [code for code, benchmark in ccop.BENCHMARKS.items() if benchmark.route == route] == codes.split()
    assert all(benchmarks.route(code) == route for code in codes.split())


def test_it_knows_no_route_of_others() -> None:
    assert benchmarks.route("B22") is benchmarks.route("") is benchmarks.route("B0") is None


def test_it_reads_a_row() -> None:
    given_row = row(metadata={"domain": "it/ot"}, difficulty="CRITICAL", section=5)
    found = ccop.read(given_row, KNOWN)
    assert (found.key, found.sort, found.benchmark) == ("B7-001", "B07-001", "B7")
    assert (found.category, found.difficulty) == ("Gap analysis", "Critical")
    assert (found.domain, found.section) == ("IT/OT", "5")
    assert found.fields is given_row
    assert "Dormant accounts are closed" in found.text


@pytest.mark.parametrize(
    "spelling", ["B7", "b7", "b07", "B07", "B7_Gap_Identification_Quality", "B7 – gaps", " B7 "]
)
def test_it_reads_a_benchmark_in_its_spellings(spelling: str) -> None:
    assert ccop.read(row(benchmark_type=spelling), KNOWN).benchmark == "B7"


def test_it_reads_a_benchmark_of_the_users_own() -> None:
    found = ccop.read(row(test_id="B22-001", benchmark_type="B22"), KNOWN)
    assert (found.benchmark, found.category) == ("B22", "Cloud")


def test_it_refuses_a_benchmark_that_nobody_registered() -> None:
    found = problems(test_id="B23-001", benchmark_type="B23")
    assert found == {"benchmark_type": "B23 is not registered; an admin can add B22 to B99."}


@pytest.mark.parametrize(
    "test_id",
    ["B7-1", "B7-0001", "B-001", "B123-001", "b7-001", "B7-001\n", "B٧-001", "B7_001", "", None, 7, ...],
)
def test_it_refuses_an_id_that_does_not_fully_match(test_id: object) -> None:
    assert list(problems(test_id=test_id)) == ["test_id"]


def test_it_refuses_an_id_of_another_benchmark() -> None:
    assert problems(test_id="B8-001") == {"test_id": "begins with B8, but the benchmark is B7."}
    assert ccop.read(row(test_id="B07-001"), KNOWN).sort == "B07-001"


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("benchmark_type", ["", "7", "B", "B100", "B0", None, 7, ...]),
        ("question", ["x" * 49, f"  {'x' * 49}  ", "", None, 5, ["x" * 60], ...]),
        ("expected_response", ["", " ", None, 5, ...]),
        ("evaluation_criteria", [{}, [], "rubric", None, ...]),
        ("key_facts", [None, "a b c", ["a", "b"], ["a"] * 9, {}, ...]),
        (
            "key_facts[1]",
            [["a", "", "c"], ["a", " ", "c"], ["a", "--", "c"], ["a", 5, "c"], ["a", None, "c"]],
        ),
        ("forbidden_claims", ["a", 5, {}]),
        ("forbidden_claims[0]", [[""], [None], ["…"]]),
        ("difficulty", ["", "Easy", None, 3, ...]),
        ("metadata", ["IT", [], 5]),
        ("metadata.domain", [{"domain": "IoT"}, {"domain": ""}, {"domain": 5}]),
        ("section", [[], {}, True]),
        ("expected_label", ["", " ", 5, "--"]),
        ("evaluation_criteria.terms", [{"terms": 5}, {"terms": [5]}, {"terms": [["a", 5]]}]),
        ("evaluation_criteria.labels", [{"labels": 5}, {"labels": [5]}]),
        ("evaluation_criteria.expected_violations", [{"expected_violations": {"a": 1}}]),
    ],
)
def test_it_refuses_what_a_field_cannot_be(field: str, values: list[object]) -> None:
    name = field.partition("[")[0].partition(".")[0]
    for value in values:
        assert list(problems(**{name: value})) == [field], value


def test_it_takes_a_question_of_fifty_characters_and_three_to_eight_facts() -> None:
    for facts in (3, 8):
        assert ccop.read(row(question="x" * 50, key_facts=["fact"] * facts), KNOWN)


@pytest.mark.parametrize("code", ["B1", "B2"])
def test_it_wants_a_label_where_a_label_is_scored(code: str) -> None:
    found = problems(test_id=f"{code}-001", benchmark_type=code)
    assert found == {"expected_label": f"is required for {code}."}


def test_it_tells_all_the_problems_of_a_row_at_once() -> None:
    found = problems(
        test_id="7", question="Short?", key_facts=["one", ""], difficulty=None, metadata={"domain": "X"}
    )
    assert list(found) == [
        "test_id",
        "question",
        "key_facts",
        "key_facts[1]",
        "difficulty",
        "metadata.domain",
    ]
    assert found["question"] == "must have at least 50 characters, and has 6."


@given(
    st.dictionaries(st.sampled_from(list(row())), st.none() | st.integers() | st.text() | st.lists(st.text()))
)
def test_it_refuses_a_row_of_anything_and_says_why(given_row: dict[str, Any]) -> None:
    with pytest.raises(RowError) as caught:
        ccop.read(given_row, KNOWN)
    assert caught.value.problems


def test_it_asks_without_giving_the_answer_away() -> None:
    system, user = ccop.prompts(case("B2", evaluation_criteria={"labels": ["Compliant", "Non-Compliant"]}))
    assert (system["role"], user["role"]) == ("system", "user")
    assert user["content"].startswith("Which gaps do you see")
    assert user["content"].endswith("Begin your answer with one of: Compliant, Non-Compliant.")
    assert "Dormant" not in system["content"] + user["content"]


def test_it_samples_the_answer_without_the_reasoning() -> None:
    found = ccop.sample(
        row(clause_reference=5.1), "<think>Hm, 5.99.1?</think>Compliant", marks=[{"accuracy": 3}]
    )
    assert (found.response, found.benchmark, found.clause_reference) == ("Compliant", "B7", "5.1")
    assert found.marks == [{"accuracy": 3}]


def test_it_names_a_response_that_is_no_text() -> None:
    with pytest.raises(TypeError, match="response: must be a text, not NoneType"):
        ccop.sample(row(), None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("code", "accuracy", "safety"),
    [
        ("B1", "label_match", "grounding"),
        ("B21", "label_match", "hallucination_resistance"),
        ("B7", "rubric", "grounding"),
        ("B20", "judge_rubric", "grounding"),
        ("B5", "semantic_equivalence", "grounding"),
    ],
)
def test_it_plans_accuracy_completeness_and_one_of_the_two_safety_metrics(
    code: str, accuracy: str, safety: str
) -> None:
    plan = ccop.plan(case(code, expected_label=None), ccop.BENCHMARKS[code])
    assert plan == {accuracy: 1.0, "key_fact_recall": 0.8, safety: 1.0, "concision": 0.0}


def test_it_plans_what_a_case_asks_for() -> None:
    criteria = {"terms": ["CIIO"], "expected_violations": ["x"], "expected_citations": ["5.1.3"]}
    plan = ccop.plan(case("B5", evaluation_criteria=criteria), ccop.BENCHMARKS["B5"])
    assert plan["terminology_accuracy"] == 0.9
    assert plan["violation_detection"] == plan["citation_accuracy"] == plan["classification_accuracy"] == 1.0


def test_it_counts_the_label_of_a_classification_benchmark_once() -> None:
    assert "classification_accuracy" not in ccop.plan(case("B2"), ccop.BENCHMARKS["B2"])
    asked = case("B2", evaluation_criteria={"expected_classification": "High"})
    assert "classification_accuracy" in ccop.plan(asked, ccop.BENCHMARKS["B2"])


def test_it_turns_citation_accuracy_on_for_a_case_that_says_so() -> None:
    assert "citation_accuracy" not in ccop.plan(row(), ccop.BENCHMARKS["B7"])
    assert "citation_accuracy" in ccop.plan(
        row(evaluation_criteria={"citation_accuracy": True}), ccop.BENCHMARKS["B7"]
    )


def test_it_plans_only_metrics_that_there_are() -> None:
    criteria = {"terms": "x", "expected_violations": "x", "citation_accuracy": True}
    plans = [ccop.plan(case(code, evaluation_criteria=criteria), known) for code, known in KNOWN.items()]
    assert set().union(*plans) <= registry.plugins("scoring.metrics").keys()


def scored(code: str, response: str, **known: Any) -> tuple[dict[str, float | None], dict[str, float]]:
    fields, benchmark = case(code), ccop.BENCHMARKS[code]
    sample, plan = ccop.sample(fields, response, **known), dict(ccop.plan(fields, benchmark))
    return {name: registry.plugin("scoring.metrics", name).measure(sample).value for name in plan}, plan


def test_it_scores_a_case_from_end_to_end() -> None:
    values, plan = scored(
        "B2", "Compliant: access rights are reviewed, and reviews are recorded under Clause 5.1.3."
    )
    assert values == {"label_match": 1.0, "key_fact_recall": 2 / 3, "grounding": 1.0, "concision": 1.0}
    assert ccop.overall(values, plan) == pytest.approx((1 + 0.8 * 2 / 3 + 1) / 2.8)


def test_it_fails_a_blank_response_without_asking_anyone() -> None:
    for code in ccop.BENCHMARKS:
        values, plan = scored(code, " \n")
        assert ccop.overall(values, plan) == 0.0
        assert ccop.pending(values, ccop.BENCHMARKS[code]) == ""


@pytest.mark.parametrize(
    ("code", "waits"), [("B7", "awaiting review"), ("B12", "awaiting judgement"), ("B5", "")]
)
def test_it_waits_for_marks_where_people_or_the_judge_decide(code: str, waits: str) -> None:
    values, plan = scored(code, "Access rights are reviewed.")
    assert ccop.pending(values, ccop.BENCHMARKS[code]) == waits
    assert (ccop.overall(values, plan) is None) == bool(waits)


def test_it_scores_tier_2_once_it_is_marked() -> None:
    values, plan = scored("B7", "Access rights are reviewed.", marks=[{"accuracy": 3, "clarity": 5}])
    assert values["rubric"] == 0.75
    assert ccop.pending(values, ccop.BENCHMARKS["B7"]) == ""
    assert ccop.overall(values, plan) is not None


def test_it_flags_a_case_that_passes_on_grounding_alone() -> None:
    values, plan = scored("B2", "It depends.")
    assert ccop.overall(values, plan) == pytest.approx(1 / 2.8)
    assert ccop.flags(values, plan, 0.15) == ("Passes on grounding alone",)
    assert ccop.flags(values, plan, 0.5) == ()


def test_it_flags_nothing_of_a_case_that_passes_by_itself() -> None:
    values, plan = scored("B2", "Compliant.")
    assert ccop.flags(values, plan, 0.15) == ()
