"""Comparing runs: common questions only, paired differences, flips, words, and what cannot be compared."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from evalportal import comparison, profiles, reading
from evalportal.comparison import Comparison, ComparisonError
from evalportal.stats import mcnemar, paired_difference
from scoring.models import Run
from tests.evalportal.scored_runs import make_run, make_version

pytestmark = pytest.mark.django_db
OLD = [0.9, 0.1, 1.0, 0.1, 0.2, 0.6, 0.1, 0.5, 0.0, 0.3, 0.1, 0.4]
NEW = [0.8, 0.5, 1.0, 0.6, 0.4, 0.6, 0.7, 0.9, 0.4, 0.1, 0.5, 0.7]
SECTIONS = [place % 4 for place in range(12)]

PRE_TRAINED = {
    "coherence": 0.049,
    "hallucination": 0.091,
    "perplexity": 1.252,
    "repetition": 0.45,
    "prompt_copying": 0.82,
    "semantic_richness": 0.25,
    "combined": -0.054,
}
FINE_TUNED = {
    "coherence": 0.450,
    "hallucination": 0.236,
    "perplexity": 1.189,
    "repetition": 0.15,
    "prompt_copying": 0.35,
    "semantic_richness": 0.48,
    "combined": 0.202,
}


def _compared(*runs: Run) -> Comparison:
    return comparison.compare(list(runs), comparison.scorings(list(runs)))


def test_it_gives_the_paired_difference_clustered_by_section() -> None:
    version = make_version()
    [one] = _compared(make_run(version, OLD), make_run(version, NEW)).against
    expected = paired_difference.measure(OLD, NEW, clusters=SECTIONS)
    assert one.difference.value == pytest.approx(expected.difference.value)
    assert (one.difference.low, one.difference.high) == pytest.approx(
        (expected.difference.low, expected.difference.high)
    )
    assert one.p_value == pytest.approx(expected.p_value)
    assert (one.better, one.worse, one.equal) == (8, 2, 2)


def test_it_corrects_for_comparing_several_runs() -> None:
    version = make_version()
    runs = [make_run(version, scores) for scores in (OLD, NEW, NEW)]
    alone = _compared(*runs[:2]).against[0].p_value
    assert alone is not None
    assert [one.p_value for one in _compared(*runs).against] == pytest.approx([min(2 * alone, 1)] * 2)


def test_it_tests_passes_by_the_first_runs_threshold() -> None:
    version = make_version()
    old, new = make_run(version, OLD, phase="baseline"), make_run(version, NEW, phase="deployment")
    [one] = _compared(old, new).against
    expected = mcnemar.measure([score >= 0.15 for score in OLD], [score >= 0.15 for score in NEW])
    assert (one.flips.gained, one.flips.lost) == (5, 1)
    assert one.flips_p_value == expected.p_value


def test_it_groups_by_category_benchmark_and_difficulty() -> None:
    version = make_version()
    groups = _compared(make_run(version, OLD), make_run(version, NEW)).groups
    assert [group.name for group in groups["benchmark"]] == ["B1", "B3", "B7"]
    assert [group.name for group in groups["difficulty"]] == ["Low", "High"]
    gap = groups["category"][2]
    assert (gap.name, gap.n) == ("Gap analysis", 4)
    [apart] = gap.apart
    assert apart.difference.value == pytest.approx((sum(NEW[2::3]) - sum(OLD[2::3])) / 4)
    better = sum(new > old for new, old in zip(NEW[2::3], OLD[2::3], strict=True))
    worse = sum(new < old for new, old in zip(NEW[2::3], OLD[2::3], strict=True))
    assert (apart.better, apart.worse) == (better, worse)


def test_it_compares_the_common_cases_of_different_versions_and_says_so() -> None:
    version = make_version()
    other = make_version(of=version, fresh=4)
    found = _compared(make_run(version, OLD), make_run(other, NEW))
    assert (found.aligned.n, found.versions) == (8, 2)
    assert [count for _, count in found.left_out] == [4, 4]
    assert found.against[0].difference.value == pytest.approx((sum(NEW[4:]) - sum(OLD[4:])) / 8)


def test_it_leaves_out_what_one_run_has_not_scored() -> None:
    version = make_version()
    found = _compared(make_run(version, OLD), make_run(version, NEW, pending={0: "awaiting review"}))
    assert found.aligned.n == 11


def test_it_refuses_runs_without_a_common_case() -> None:
    one, other = make_run(make_version(), OLD), make_run(make_version(), NEW)
    with pytest.raises(ComparisonError, match="no scored question in common"):
        _compared(one, other)


def test_it_refuses_a_run_of_errors_alone() -> None:
    version = make_version()
    one, other = make_run(version, OLD), make_run(version, [None] * 12, name="Broken")
    with pytest.raises(ComparisonError, match="“Broken” has no scored answer"):
        _compared(one, other)


def test_it_refuses_a_run_that_is_not_finished() -> None:
    version = make_version()
    one, other = make_run(version, OLD), make_run(version, NEW, state="running", name="Slow")
    with pytest.raises(ComparisonError, match="“Slow” is running"):
        _compared(one, other)


def test_it_has_no_interval_for_one_common_case() -> None:
    version = make_version(size=1)
    [one] = _compared(make_run(version, [0.2]), make_run(version, [0.7])).against
    assert one.difference.value == pytest.approx(0.5)
    assert (one.difference.low, one.p_value) == (None, None)
    assert "One common case" in one.difference.reason


def test_it_knows_no_difference_between_equal_runs() -> None:
    version = make_version()
    found = _compared(make_run(version, OLD), make_run(version, OLD))
    assert found.against[0].reading == "Not known to differ."
    assert reading.first(found) == []


@pytest.mark.parametrize("given", ["", "1", "1,2,3,4,5,6", "x,y", "1,1", "99999999999999999999,2", "-1,2"])
def test_it_says_what_is_wrong_with_a_choice_of_runs(
    given: str, dan: Any, signed_in: Callable[[Any], Client]
) -> None:
    page = signed_in(dan).get(reverse("compare"), {"runs": given})
    assert page.status_code == 422
    assert "Choose 2 to 5 runs" in page.content.decode()


def test_it_names_the_questions_to_read_first() -> None:
    version = make_version()
    found = _compared(make_run(version, OLD), make_run(version, NEW))
    first = reading.first(found, most=3)
    assert [one.case.key for one in first] == ["B1-007", "B1-004", "B3-002"]
    assert first[0].scores == [0.1, 0.7]


def test_it_lists_what_flipped() -> None:
    version = make_version()
    flips = reading.flipped(_compared(make_run(version, OLD), make_run(version, NEW)), 1)
    assert {one.case.key for one in flips["gained"]} == {"B3-002", "B1-004", "B1-007", "B7-009", "B3-011"}
    assert [one.case.key for one in flips["lost"]] == ["B1-010"]


def test_it_averages_several_answers_to_a_question() -> None:
    version = make_version(size=2)
    old, new = make_run(version, [0.0, 1.0]), make_run(version, [1.0, 1.0])
    second = old.responses.get(position=0)
    second.pk, second.sample, second.position = None, 2, 9
    second.save()
    old.scorings.get().scores.create(response=second, overall=1.0, values={}, details={})
    assert _compared(old, new).aligned.scores.tolist() == [[0.5, 1.0], [1.0, 1.0]]


def test_it_gives_latency_and_tokens_of_the_common_questions() -> None:
    version = make_version()
    runs = [make_run(version, OLD), make_run(version, NEW[:6])]
    counted = comparison.scorings(runs)
    speed, _ = profiles.speeds(_compared(*runs), counted)
    assert speed.timed == 6
    assert speed.p50 == pytest.approx(0.525)
    assert (speed.prompt_tokens, speed.completion_tokens) == (100.0, 22.5)


def test_it_says_the_same_from_kept_summaries_and_from_the_answers() -> None:
    version = make_version()
    values = [{"grounding": score} for score in OLD]
    runs = [make_run(version, OLD, values=values), make_run(version, NEW, values=values[::-1])]
    counted, found = comparison.scorings(runs), _compared(*runs)
    assert found.whole
    counted_anew = found._replace(whole=False)
    assert profiles.speeds(found, counted) == profiles.speeds(counted_anew, counted)
    [kept], [anew] = profiles.changes(found, counted), profiles.changes(counted_anew, counted)
    assert [(one.row.metric, one.percent, one.old_count) for one in kept] == [
        (one.row.metric, one.percent, one.old_count) for one in anew
    ]


def test_it_tables_pre_trained_against_fine_tuned_as_the_metrics_are_published(
    dan: Any, signed_in: Callable[[Any], Client]
) -> None:
    version = make_version(size=4, suite="cybersec")
    runs = [
        make_run(version, [values["combined"]] * 4, values=[values] * 4, phase=phase)
        for values, phase in ((PRE_TRAINED, "baseline"), (FINE_TUNED, "fine-tuned"))
    ]
    [table] = profiles.changes(_compared(*runs), comparison.scorings(runs))
    assert [(one.row.metric, one.percent, one.row.better) for one in table] == [
        ("coherence", "+818 %", True),
        ("hallucination", "+159 %", False),
        ("perplexity", "-5 %", True),
        ("repetition", "-67 %", True),
        ("prompt_copying", "-57 %", True),
        ("semantic_richness", "+92 %", True),
        ("combined", "+474 %", True),
    ]
    page = signed_in(dan).get(reverse("compare"), {"runs": f"{runs[0].pk},{runs[1].pk}"}).content.decode()
    assert "+474 %" in page
    assert "confidence" not in page


def test_it_calls_no_metric_better_whose_difference_may_be_chance() -> None:
    version = make_version()
    old = [{"coherence": score, "grounding": score} for score in OLD]
    raised = [score + 0.2 + place % 5 / 20 for place, score in enumerate(OLD)]
    new = [{"coherence": up, "grounding": 1 - old} for up, old in zip(raised, NEW, strict=True)]
    runs = [make_run(version, OLD, values=old), make_run(version, NEW, values=new)]
    [table] = profiles.changes(_compared(*runs), comparison.scorings(runs))
    outcomes = {one.row.metric: one.outcome for one in table}
    expected = paired_difference.measure(OLD, raised, clusters=SECTIONS)
    assert outcomes == {"coherence": "better", "grounding": "no difference shown"}
    assert table[0].apart
    assert table[0].apart.difference == expected.difference
    assert expected.p_value
    assert table[0].apart.p_value == pytest.approx(2 * expected.p_value)


def test_it_tests_metrics_by_the_mean_of_the_answers_to_a_question() -> None:
    version = make_version(size=2)
    old, new = (make_run(version, [0.0, 1.0], values=[{"grounding": v} for v in (0.0, 1.0)]) for _ in "ab")
    second = old.responses.get(position=0)
    second.pk, second.sample, second.position = None, 2, 9
    second.save()
    old.scorings.get().scores.create(response=second, overall=1.0, values={"grounding": 1.0}, details={})
    [table] = profiles.changes(_compared(old, new), comparison.scorings([old, new]))
    assert table[0].apart
    assert table[0].apart.difference.value == -0.25


def test_it_shows_the_comparison(dan: Any, signed_in: Callable[[Any], Client]) -> None:
    version = make_version()
    runs = [make_run(version, scores) for scores in (OLD, NEW, OLD)]
    page = signed_in(dan).get(reverse("compare"), {"runs": [run.pk for run in runs]})
    assert page.status_code == 200
    assert "12 questions in common" in page.content.decode()
    assert not re.search(r"\bnan\b", page.content.decode().lower())


@pytest.mark.parametrize("suite", ["ccop", "rgb", "cybersec"])
def test_it_shows_what_was_expected_beside_the_answers(
    suite: str, dan: Any, signed_in: Callable[[Any], Client]
) -> None:
    version = make_version(suite=suite)
    runs = [make_run(version, scores) for scores in (OLD, NEW)]
    case = version.cases.first()
    assert case
    path = reverse("compare-case", args=[case.pk])
    page = signed_in(dan).get(path, {"runs": ",".join(str(run.pk) for run in runs)})
    assert (page.status_code, "What was expected" in page.content.decode()) == (200, True)


def test_it_shows_answers_side_by_side_word_by_word(dan: Any, signed_in: Callable[[Any], Client]) -> None:
    version = make_version(size=1)
    old = make_run(version, [0.2], content=["Review the logs <b>monthly</b>."])
    new = make_run(version, [0.7], content=["Review the logs weekly."])
    where = reverse("compare-case", args=[version.cases.get().pk])
    page = signed_in(dan).get(where, {"runs": f"{old.pk},{new.pk}"}).content.decode()
    assert "<ins>weekly</ins>" in page
    assert "&lt;b&gt;" in page
    assert "<b>monthly</b>" not in page


def test_it_asks_the_database_as_little_for_many_cases_as_for_few(
    dan: Any, signed_in: Callable[[Any], Client], django_assert_max_num_queries: Any
) -> None:
    client, asked = signed_in(dan), []
    for size in (3, 60):
        version = make_version(size)
        runs = [make_run(version, [place % 5 / (4 + extra) for place in range(size)]) for extra in (0, 1)]
        address = {"runs": f"{runs[0].pk},{runs[1].pk}"}
        client.get(reverse("compare"), address)
        with django_assert_max_num_queries(20) as counted:
            client.get(reverse("compare"), address)
        asked.append(len(counted))
    assert asked[0] == asked[1]


def test_it_says_how_many_questions_show_a_difference(dan: Any, signed_in: Callable[[Any], Client]) -> None:
    version = make_version()
    runs = [make_run(version, scores) for scores in (OLD, NEW)]
    address = {"runs": f"{runs[0].pk},{runs[1].pk}"}
    page = signed_in(dan).get(reverse("compare"), {**address, "points": "2"})
    assert "questions</strong> like these" in page.content.decode()
    assert signed_in(dan).get(reverse("compare"), {**address, "points": "0"}).status_code == 422
