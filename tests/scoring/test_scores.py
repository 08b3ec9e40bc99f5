"""Scoring: once for each answer, in batches, again on demand, and by people's marks where there are any."""

from __future__ import annotations

from typing import Any

import pytest

from scoring import registry, runs, scores, scorings
from scoring.engine import asking, bells
from scoring.models import Endpoint, Run, Score, Verdict
from tests.engine.making import echo, started, version

pytestmark = pytest.mark.django_db(transaction=True)

GOOD = '{"marks": {"accuracy": 4, "completeness": 4, "practicality": 4, "clarity": 4}, "confidence": 0.9}'
QUALITY = (
    '{"relevance": 5, "technical_correctness": 4, "clarity_and_structure": 4, "non_repetitiveness": 3,'
    ' "confidence": 0.6}'
)
MARKS = {"accuracy": 1, "completeness": 1, "practicality": 1, "clarity": 1}


def finished(run: Run) -> Run:
    """Ask, judge and score a run in this process."""
    asking.serve(run.endpoint_id, ring=bells.silent)
    if run.judge_id:
        asking.serve(run.judge_id, ring=bells.silent)
    scores.score(run.pk, ring=bells.silent)
    run.refresh_from_db()
    return run


def answering(
    reply: str = "The owner reviews the access logs every month and keeps the evidence.",
) -> Endpoint:
    return echo(reply=reply)


def test_it_scores_every_answer_once_and_sums_the_run_up() -> None:
    run = finished(started(version(5), answering()))
    scores.score(run.pk, ring=bells.silent)
    assert run.state == Run.State.FINAL
    assert Score.objects.filter(response__run=run).count() == 5
    assert run.summary["overall"]["scored"] == 5
    assert run.summary["by_benchmark"]["B3"]["name"] == "Conditional Compliance Reasoning"
    assert run.summary["by_difficulty"]["Low"]["pass_rate"] == 1.0
    assert run.summary["answers"]["done"] == 5
    assert run.summary["metrics"]["key_fact_recall"]["mean"] == 1.0


def test_it_keeps_each_metrics_evidence() -> None:
    run = finished(started(version(1), answering()))
    score = Score.objects.get(response__run=run)
    assert score.values["key_fact_recall"] == 1.0
    assert score.details["key_fact_recall"]["weight"] == 0.8
    assert score.details["key_fact_recall"]["why"]
    assert score.machine_overall == score.overall


def test_it_leaves_tier_2_to_people() -> None:
    run = finished(started(version(2, benchmark="B7"), answering()))
    score = Score.objects.filter(response__run=run).first()
    assert run.state == Run.State.AWAITING_REVIEW
    assert score
    assert (score.overall, score.passed, score.pending) == (None, None, "awaiting review")
    assert run.summary["overall"]["pending"] == 2


def test_it_scores_by_peoples_marks_once_they_are_settled() -> None:
    run = finished(started(version(1, benchmark="B7"), answering()))
    scores.settle(run.responses.get(), [dict.fromkeys(MARKS, 5)])
    score = Score.objects.get(response__run=run)
    assert (score.pending, score.values["rubric"], score.machine_overall) == ("", 1.0, None)
    runs.conclude_review(run)
    assert run.state == Run.State.FINAL
    assert run.summary["overall"]["pending"] == 0


def test_it_asks_the_judge_about_tier_3_and_waits_for_its_verdict() -> None:
    run = started(version(3, benchmark="B12"), answering(), judge=answering(GOOD))
    asking.serve(run.endpoint_id, ring=bells.silent)
    scores.score(run.pk, ring=bells.silent)
    assert not Score.objects.filter(response__run=run).exists()
    run = finished(run)
    verdict = Verdict.objects.filter(run=run).first()
    assert verdict
    assert (verdict.confidence, verdict.marks["clarity"], verdict.prompt_version) == (0.9, 4, 2)
    assert set(Score.objects.values_list("values__judge_rubric", flat=True)) == {0.75}
    assert run.state == Run.State.AWAITING_REVIEW


def test_it_keeps_the_judges_score_beside_the_peoples() -> None:
    run = finished(started(version(1, benchmark="B12"), answering(), judge=answering(GOOD)))
    before = Score.objects.get(response__run=run).overall
    scores.settle(run.responses.get(), [MARKS])
    after = Score.objects.get(response__run=run)
    assert after.machine_overall == before
    assert after.overall is not None
    assert before is not None
    assert after.overall < before


def test_it_leaves_an_unreadable_verdict_to_people_with_confidence_0() -> None:
    run = finished(started(version(1, benchmark="B12"), answering(), judge=answering("No comment.")))
    verdict = Verdict.objects.get(run=run)
    assert (verdict.state, verdict.confidence, verdict.error_kind) == ("done", 0.0, "unreadable")
    assert Score.objects.get(response__run=run).pending == "awaiting judgement"


def test_it_asks_for_as_many_votes_as_the_run_wants() -> None:
    judge = echo(reply=[GOOD, GOOD.replace("4", "2"), "garbled"])
    run = finished(started(version(2, benchmark="B12"), answering(), judge=judge, judge_votes=3))
    assert Verdict.objects.filter(run=run, state="done").count() == 6
    assert set(Score.objects.values_list("values__judge_rubric", flat=True)) == {0.5}


def test_it_judges_the_quality_of_cybersecurity_answers() -> None:
    made = version(2, suite="cybersec", benchmark="cybersecurity_answers")
    run = finished(started(made, answering(), judge=answering(QUALITY)))
    assert run.state == Run.State.FINAL
    assert set(Score.objects.values_list("values__answer_quality", flat=True)) == {0.75}


def test_it_scores_samples_together() -> None:
    made = version(2, suite="cybersec", benchmark="cybersecurity_answers")
    replies = ["A firewall filters traffic.", "A firewall filters packets.", "It blocks traffic."]
    finished(started(made, echo(reply=replies), samples=3))
    values = set(Score.objects.values_list("values__self_bleu", flat=True))
    assert len(values) == 1
    assert None not in values


def test_it_sums_rgb_up_by_ability_and_noise() -> None:
    made = version(2, suite="rgb", benchmark="noise_robustness")
    run = finished(started(made, answering("It is port 443."), noise_levels=[0, 40, 100]))
    rates = run.summary["rgb"]
    assert run.responses.count() == 6
    assert rates["accuracy_by_noise"] == {"0": 100.0, "40": 100.0}
    assert (rates["accuracy"], rates["rejection_rate"]) == (100.0, 0.0)


def test_it_scores_anew_and_keeps_the_old_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    run = finished(started(version(3), answering()))
    metric = registry.plugin("scoring.metrics", "key_fact_recall")
    monkeypatch.setattr(metric, "VERSION", metric.VERSION + 1)
    runs.rescore(run)
    run = finished(run)
    first, second = run.scorings.order_by("number")
    assert (first.scores.count(), second.scores.count()) == (3, 3)
    assert second.metric_versions["key_fact_recall"] == first.metric_versions["key_fact_recall"] + 1
    assert (run.state, run.summary["scoring"]) == (Run.State.FINAL, 2)


def test_it_goes_on_when_a_metric_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(sample: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(registry.plugin("scoring.metrics", "key_fact_recall"), "measure", fail)
    run = finished(started(version(2), answering()))
    score = Score.objects.filter(response__run=run).first()
    assert score
    assert score.values["key_fact_recall"] is None
    assert score.overall is not None
    assert run.state == Run.State.FINAL


def test_it_keeps_an_answer_that_cannot_be_scored_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise KeyError("question")

    monkeypatch.setattr(registry.plugin("scoring.suites", "ccop"), "sample", fail)
    run = finished(started(version(1), answering()))
    score = Score.objects.get(response__run=run)
    assert score.overall is None
    assert score.flags == ["Not scored: KeyError: 'question'"]


def test_it_scores_nothing_of_a_paused_run() -> None:
    run = started(version(2), answering())
    asking.serve(run.endpoint_id, ring=bells.silent)
    runs.pause(run)
    scores.score(run.pk, ring=bells.silent)
    assert not Score.objects.filter(response__run=run).exists()


def test_it_finds_the_newest_scoring_and_what_it_lacks() -> None:
    run = finished(started(version(2), answering()))
    assert not scorings.unscored(run).exists()
    scorings.open_another(run)
    assert scorings.unscored(run).count() == 2


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (float("nan"), None),
        ("a\0b", "a�b"),
        ("\ud83d", "?"),
        ({"a": (1, 2.5)}, {"a": [1, 2.5]}),
        ({3: {"x"}}, {"3": ["x"]}),
        (None, None),
    ],
)
def test_it_stores_only_what_the_database_takes(given: Any, stored: Any) -> None:
    assert scores.storable(given) == stored
