"""Diagnosis: what is unsafe first, then what is weak and why; a plain statement where nothing can be said."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.utils import timezone

from evalportal.diagnosis import diagnosing, printing, published_figures
from scoring import runs
from scoring.diagnosis_rules import Limits
from scoring.models import Run, Score, Scoring
from tests.evalportal import making
from tests.reviews.making import build_run

pytestmark = pytest.mark.django_db


def test_it_reads_low_with_little_covered_as_a_gap_and_with_much_as_verbosity() -> None:
    gap = diagnosing.diagnose(making.scored({"B3": [0.2, 0.3, 0.4]}, completeness=0.2))
    verbose = diagnosing.diagnose(making.scored({"B3": [0.2, 0.3, 0.4]}, completeness=0.7))
    assert [finding.kind for finding in gap.findings] == ["knowledge gap"]
    assert [finding.kind for finding in verbose.findings] == ["verbosity"]


def test_it_reads_by_other_limits_if_told() -> None:
    run = making.scored({"B3": [0.2, 0.3, 0.4]}, completeness=0.2)
    assert diagnosing.diagnose(run, Limits(low_overall=0.1)).findings[0].kind == "sound"


def test_it_puts_fabrications_first_with_their_words() -> None:
    run = making.scored({"B3": [0.9, 0.8, 0.7]})
    long = "x " * 400
    making.fabricate(run, "B3-002", f"{long}Clause 99.9.9 asks for retina scans. {long}", "99.9.9")
    found = diagnosing.diagnose(run)
    assert [finding.kind for finding in found.findings] == ["unsafe", "sound"]
    (one,) = found.fabrications
    assert (one.response.case.key, one.clauses, one.claims) == ("B3-002", ["99.9.9"], ["Scans are required"])
    assert [stretch.text for stretch in one.stretches if stretch.kind == "bad"] == ["99.9.9"]
    assert (one.cut_before, one.cut_after) == (True, True)
    assert len("".join(stretch.text for stretch in one.stretches)) < 600


def test_it_does_not_take_a_blank_answer_for_a_fabrication() -> None:
    run = making.scored({"B3": [0.9, 0.0]})
    Score.objects.filter(response__case__key="B3-002").update(
        fabricated=True, values={"grounding": 0.0}, details={"grounding": {"evidence": {}, "spans": []}}
    )
    found = diagnosing.diagnose(run)
    assert (found.fabricated, found.fabrications) == (0, ())


def test_it_tells_strengths_and_weaknesses_from_chance() -> None:
    run = making.scored(
        {
            "B2": [0.9, 0.91, 0.92, 0.9, 0.93, 0.9],
            "B7": [0.1, 0.12, 0.1, 0.11, 0.1, 0.13],
            "B21": [0.2, 0.9, 0.5],
        }
    )
    found = diagnosing.diagnose(run)
    assert [group.name for group in found.strengths] == ["Compliance judgement"]
    assert [group.name for group in found.weaknesses] == ["Gap analysis"]
    groups = {group.name: group for group in found.categories.groups} if found.categories else {}
    assert groups["Grounding & safety (cross-cutting)"].standing == "like the rest"
    assert groups["Grounding & safety (cross-cutting)"].cross_cutting
    assert len(groups) == 9
    assert (groups["Remediation"].answers, groups["Remediation"].mean.value) == (0, None)


def test_it_names_the_weakest_benchmarks_with_the_worst_cases() -> None:
    run = making.scored({"B3": [0.1, 0.3, 0.05, 0.2], "B2": [0.9, 0.8]}, completeness=0.2)
    first, second = diagnosing.diagnose(run).needs
    assert (first.group.name, second.group.name) == ("B3", "B2")
    assert [example.response.case.key for example in first.examples] == ["B3-003", "B3-001", "B3-004"]
    assert first.examples[0].missing == ["Use is logged."]
    assert "facts that were missed" in first.advice[0]


def test_it_gives_one_case_no_interval() -> None:
    found = diagnosing.diagnose(making.scored({"B3": [0.4]}))
    assert found.whole
    assert (found.whole.mean.value, found.whole.mean.low) == (0.4, None)
    assert "one score" in found.reservations[0]


def test_it_says_what_the_numbers_leave_out() -> None:
    run = making.scored({"B3": [0.4, None, 0.6]})
    Run.objects.filter(pk=run.pk).update(
        state=Run.State.CANCELLED, summary={"answers": {"wanted": 5, "failed": 2}}
    )
    said = " ".join(diagnosing.diagnose(runs.get(run.pk)).reservations)
    assert "cancelled" in said
    assert "1 of 3 answers still wait" in said
    assert "2 of 5 questions ended in an error" in said


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (Run.State.DRAFT, "This run is draft."),
        (Run.State.RUNNING, "This run is running. It is diagnosed once"),
        (Run.State.PAUSED, "This run is paused."),
        (Run.State.SCORING, "This run is scoring."),
    ],
)
def test_it_states_that_an_unfinished_run_says_nothing(state: str, said: str) -> None:
    run = making.scored({"B3": [0.4, 0.5]})
    Run.objects.filter(pk=run.pk).update(state=state)
    found = diagnosing.diagnose(runs.get(run.pk))
    assert found.statement.startswith(said)
    assert found.whole is None


def test_it_states_that_a_run_of_errors_alone_says_nothing() -> None:
    run = build_run({"B3": 2}, state=Run.State.FAILED, reason="Not one question was answered (timeout: 2).")
    Scoring.objects.filter(run=run).delete()
    statement = diagnosing.diagnose(runs.get(run.pk)).statement
    assert "every question ended in an error. Not one question was answered (timeout: 2)." in statement


def test_it_states_that_nothing_is_scored_where_all_is_pending() -> None:
    run = build_run({"B7": 2})
    assert "All 2 answers wait for people" in diagnosing.diagnose(runs.get(run.pk)).statement


def test_it_states_that_nothing_is_scored_where_no_metric_is_defined() -> None:
    run = build_run({"B3": 1}, state=Run.State.FINAL)
    Score.objects.update(pending="", overall=None)
    assert "no metric is defined" in diagnosing.diagnose(runs.get(run.pk)).statement


def test_it_knows_the_published_figures() -> None:
    english = published_figures.NOISE_ROBUSTNESS["en"]
    assert english.accuracy["ChatGPT"] == (96.33, 94.67, 94.00, 90.00, 76.00)
    assert english.accuracy["ChatGLM2-6B"][-1] == 57.33
    assert max(published_figures.INFORMATION_INTEGRATION["zh"].accuracy.values())[0] == 67
    for curves in (published_figures.NOISE_ROBUSTNESS, published_figures.INFORMATION_INTEGRATION):
        for curve in curves.values():
            assert tuple(curve.accuracy) == published_figures.MODELS
            assert {len(rates) for rates in curve.accuracy.values()} == {len(curve.noise)}


RGB: dict[str, dict[str, Any]] = {
    "noise_robustness": {"positive": ["The port is 443."] * 5, "negative": ["Noise."] * 5},
    "negative_rejection": {"positive": [], "negative": ["Noise."] * 5},
    "counterfactual_robustness": {
        "positive": ["The port is 443."] * 5,
        "negative": ["Noise."] * 5,
        "positive_wrong": ["The port is 80."] * 5,
        "fakeanswer": "80",
    },
}


@pytest.mark.django_db(transaction=True)
def test_it_takes_questions_at_full_noise_for_tests_of_rejection() -> None:
    rows = [
        {"id": f"n{number}", "query": f"{number}: which port?", "answer": "443", **RGB["noise_robustness"]}
        for number in range(1, 4)
    ]
    run = making.driven(making.dataset(rows, "rgb", "rgb"), "It is 443.", noise_levels=[0, 100])
    found = diagnosing.diagnose(run)
    assert [(need.group.name, need.group.mean.value) for need in found.needs] == [
        ("negative_rejection", 0.0),
        ("noise_robustness", 1.0),
    ]
    assert "answers that decline" in found.needs[0].advice[0]
    assert {example.response.noise for example in found.needs[0].examples} == {100}


@pytest.mark.django_db(transaction=True)
def test_it_measures_the_four_abilities_beside_what_was_published() -> None:
    rows = [
        {"id": f"{ability}-{number}", "query": f"{number}: which port is HTTPS?", "answer": "443", **more}
        for ability, more in RGB.items()
        for number in range(1, 4)
    ]
    run = making.driven(making.dataset(rows, "rgb", "rgb"), "It is 443.", noise_levels=[0, 40])
    found = diagnosing.diagnose(run).abilities
    assert found
    rates = {one.label: one for one in found.rates}
    assert rates["Noise robustness: right answers"].rate.value == 1.0
    assert rates["Negative rejection: declined"].rate.value == 0.0
    assert (
        rates["Information integration: right answers"].rate.reason == "No question of the run asks for it."
    )
    assert rates["Counterfactual robustness: errors corrected"].rate.value == 1.0
    (curve,) = found.curves
    assert [(level.noise, level.rate.n, level.published[0]) for level in curve.levels] == [
        (0, 3, 96.33), (20, 0, 94.67), (40, 3, 94.0), (60, 0, 90.0), (80, 0, 76.0),
    ]  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_it_puts_the_language_of_answers_into_bands(dan: Any, signed_in: Callable[[Any], Client]) -> None:
    rows = [{"id": str(number), "question": f"What is control {number} for?"} for number in range(1, 4)]
    run = making.driven(making.dataset(rows, "language", "cybersec"), None)
    traits = {trait.metric: trait for trait in diagnosing.diagnose(run).traits}
    assert traits["prompt_copying"].band == "mostly an echo"
    assert (traits["perplexity"].mean.value, traits["perplexity"].undefined) == (2.0, 0)
    assert (traits["kl_shift"].mean.value, traits["kl_shift"].undefined) == (None, 3)
    assert "excellent fluency from 1" in traits["perplexity"].bands
    assert signed_in(dan).get(f"/runs/{run.pk}/diagnosis/").status_code == 200


def test_it_shows_managers_the_page(
    dan: Any, signed_in: Callable[[Any], Client], django_assert_max_num_queries: Any
) -> None:
    run = making.scored({"B3": [0.9, 0.8, 0.1], "B2": [0.2, 0.1]})
    making.fabricate(run, "B3-002", "Clause 99.9.9 <script>alert(1)</script>", "99.9.9")
    client = signed_in(dan)
    with django_assert_max_num_queries(12):
        page = client.get(f"/runs/{run.pk}/diagnosis/").content.decode()
    assert page.index("Fabrications") < page.index("On the whole") < page.index("What to collect")
    assert '<mark class="bad" title="99.9.9: fabricated">99.9.9</mark>' in page
    assert "<script>alert" not in page
    assert "overall is low below 0.50, completeness high from 0.60" in page
    assert "nan" not in re.sub(r"<[^>]+>", "", page).lower().split()


def test_it_takes_other_limits_from_the_address(dan: Any, signed_in: Callable[[Any], Client]) -> None:
    run = making.scored({"B3": [0.3, 0.2]}, completeness=0.5)
    client = signed_in(dan)
    assert "Verbosity" in client.get(f"/runs/{run.pk}/diagnosis/?high_completeness=0.4").content.decode()
    wrong = client.get(f"/runs/{run.pk}/diagnosis/?low_overall=nan&high_completeness=7")
    assert wrong.status_code == 422
    assert "less than or equal to 1" in wrong.content.decode()


def test_it_reads_the_scores_once_for_all_visitors(
    dan: Any, signed_in: Callable[[Any], Client], django_assert_num_queries: Any
) -> None:
    run = making.scored({"B3": [0.9, 0.8, 0.1], "B2": [0.2, 0.1]})
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now())
    client, page = signed_in(dan), f"/runs/{run.pk}/diagnosis/"
    first = _drawn(client.get(page))
    with django_assert_num_queries(3):
        assert _drawn(client.get(page)) == first
    run.scorings.get().scores.update(overall=0.0)
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now())
    assert _drawn(client.get(page)) != first


def _drawn(page: Any) -> str:
    return str(page.content.decode().split('<div id="diagnosis"')[1].split("<form")[0])


@pytest.mark.parametrize("state", ["final", "awaiting_review", "failed", "running", "cancelled"])
def test_it_shows_every_state(state: str, dan: Any, signed_in: Callable[[Any], Client]) -> None:
    run = build_run({"B7": 1})
    Run.objects.filter(pk=run.pk).update(state=state)
    page = signed_in(dan).get(f"/runs/{run.pk}/diagnosis/")
    assert page.status_code == 200
    assert "No diagnosis" in page.content.decode()


def test_it_prints_the_page_as_a_pdf(tmp_path: Path) -> None:
    run = making.scored({"B3": [0.9, 0.8, 0.1], "B2": [0.2, 0.1]})
    path, words = tmp_path / "report.pdf", io.StringIO()
    call_command("report", run.pk, output=path, stdout=words)
    assert path.read_bytes().startswith(b"%PDF-")
    assert words.getvalue() == f"The diagnosis of run {run.pk} is in {path}.\n"
    assert list(tmp_path.iterdir()) == [path]


def test_it_prints_with_the_style_and_charts_of_this_machine() -> None:
    text = printing.html(making.scored({"B3": [0.9, 0.8]}))
    loaded = re.findall(r'(?:href|src)="(file://[^"]+)"', text)
    assert [Path(one.removeprefix("file://")).exists() for one in loaded] == [True, True, True]
    assert 'data-theme="light"' in text


def test_it_says_what_to_do_without_a_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = making.scored({"B3": [0.9]})
    with pytest.raises(CommandError, match="There is no netscape, which prints the report"):
        call_command("report", run.pk, browser="netscape")
    with pytest.raises(CommandError, match="did not print the report"):
        call_command("report", run.pk, browser="false", output=tmp_path / "report.pdf")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CommandError, match="no Chromium or Chrome"):
        call_command("report", run.pk)
    with pytest.raises(CommandError, match="There is no run 999"):
        call_command("report", 999)
