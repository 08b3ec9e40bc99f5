"""Which answers go to people, and with what probability."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reviews import sampling
from reviews.items import ReviewError, RunClosedError
from reviews.models import Event, ReviewItem
from scoring.models import Run
from tests.reviews.making import add_answers

MakeRun = Callable[..., Run]


def test_it_sends_every_tier_2_answer_to_as_many_people_as_the_run_says(make_run: MakeRun) -> None:
    run = make_run({"B7": 4, "B3": 5}, reviewers=3)
    assert sampling.draw(run) == 4
    items = ReviewItem.objects.filter(run=run)
    assert {(i.kind, i.benchmark, i.slots, i.probability, i.mandatory) for i in items} == {
        ("rubric", "B7", 3, 1.0, True)
    }


def test_it_sends_every_verdict_below_80_percent_and_a_fifth_of_the_others(make_run: MakeRun) -> None:
    run = make_run({"B12": 14}, confidences=[0.79, 0.8, 0.9, None, 0.95, 0.99, 1.0])
    sampling.draw(run)
    items = ReviewItem.objects.filter(run=run)
    assert items.filter(reason="unsure", probability=1.0).count() == 2
    assert items.filter(reason="unreadable", probability=1.0).count() == 2
    drawn = items.filter(reason="drawn", stratum="B12", mandatory=False)
    assert {item.probability for item in drawn} == {2 / 10}
    assert drawn.count() == 2


def test_it_tells_a_judge_who_is_not_sure_at_all_from_one_who_said_nothing(make_run: MakeRun) -> None:
    run = make_run({"B12": 2}, confidences=[0.0, None])
    sampling.draw(run)
    reasons = ReviewItem.objects.filter(run=run).order_by("response__position")
    assert list(reasons.values_list("reason", flat=True)) == ["unsure", "unreadable"]


def test_it_rounds_the_share_up_in_each_benchmark(make_run: MakeRun) -> None:
    run = make_run({"B12": 6, "B13": 1}, confidences=[0.9])
    sampling.draw(run)
    found = ReviewItem.objects.filter(run=run).order_by("benchmark").values_list("benchmark", "probability")
    assert list(found) == [("B12", 2 / 6), ("B12", 2 / 6), ("B13", 1.0)]


def test_it_does_not_draw_one_too_many_where_the_share_comes_out_even(make_run: MakeRun) -> None:
    run = make_run({"B12": 15}, confidences=[0.9], validation_share=0.2)
    assert sampling.draw(run) == 3


def test_it_draws_the_same_answers_with_the_same_seed(make_run: MakeRun) -> None:
    run = make_run({"B12": 30}, confidences=[0.9], seed=7)
    sampling.draw(run)
    first = sorted(ReviewItem.objects.filter(run=run).values_list("response", flat=True))
    ReviewItem.objects.filter(run=run).delete()
    run.draws.all().delete()
    sampling.draw(run, seed=7)
    assert sorted(ReviewItem.objects.filter(run=run).values_list("response", flat=True)) == first
    ReviewItem.objects.filter(run=run).delete()
    run.draws.all().delete()
    sampling.draw(run, seed=8)
    assert sorted(ReviewItem.objects.filter(run=run).values_list("response", flat=True)) != first


def test_it_draws_nothing_twice(make_run: MakeRun) -> None:
    run = make_run({"B7": 3, "B12": 10}, confidences=[0.9])
    sampling.draw(run)
    assert sampling.draw(run) == 0
    assert ReviewItem.objects.filter(run=run).count() == 3 + 2


def test_it_draws_from_what_came_in_later_as_a_stratum_of_its_own(make_run: MakeRun) -> None:
    run = make_run({"B12": 10}, confidences=[0.9])
    sampling.draw(run)
    add_answers(run, "B12", 3, [0.9])
    assert sampling.draw(run) == 1
    later = ReviewItem.objects.get(run=run, stratum="B12, draw 2")
    assert later.probability == 1 / 3
    assert later.turn == 3


def test_it_takes_the_votes_of_a_judge_together(make_run: MakeRun) -> None:
    run = make_run({"B12": 1}, confidences=[0.95], judge_votes=2)
    second = run.verdicts.get()
    second.pk, second.vote, second.marks = None, 2, dict.fromkeys(second.marks, 1.0)
    second.save()
    sampling.draw(run)
    assert ReviewItem.objects.get(run=run).reason == "unsure"


def test_it_sends_all_tier_3_answers_where_there_is_no_judge(make_run: MakeRun) -> None:
    run = make_run({"B20": 3}, judge=None)
    assert sampling.draw(run) == 3
    assert set(ReviewItem.objects.filter(run=run).values_list("reason", flat=True)) == {"unreadable"}


def test_it_leaves_blank_tier_2_answers_to_the_machine(make_run: MakeRun) -> None:
    run = make_run({"B7": 2})
    score = run.scorings.get().scores.first()
    assert score
    score.values = {"rubric": 0.0}
    score.save()
    assert sampling.draw(run) == 1


def test_it_widens_a_draw_without_drawing_anew(make_run: MakeRun, alice: Any) -> None:
    run = make_run({"B12": 20}, confidences=[0.9])
    sampling.draw(run)
    before = set(ReviewItem.objects.filter(run=run).values_list("response", flat=True))
    assert sampling.widen(run, 0.5, alice) == 6
    items = ReviewItem.objects.filter(run=run)
    assert before < set(items.values_list("response", flat=True))
    assert set(items.values_list("probability", flat=True)) == {0.5}


@pytest.mark.parametrize("share", [0.1, 0.2, 1.1])
def test_it_refuses_a_share_that_is_not_larger(make_run: MakeRun, alice: Any, share: float) -> None:
    run = make_run({"B12": 20}, confidences=[0.9])
    sampling.draw(run)
    with pytest.raises(ReviewError, match="Choose a share"):
        sampling.widen(run, share, alice)


def test_it_sends_flagged_answers_by_hand_without_a_probability(make_run: MakeRun, alice: Any) -> None:
    run = make_run({"B3": 2, "B12": 10}, confidences=[0.9])
    sampling.draw(run)
    run.scorings.get().scores.filter(response__case__benchmark="B3").update(
        flags=["Passes on grounding alone"]
    )
    assert sampling.send(run, sampling.flagged_responses(run), alice, "Look twice.") == 2
    assert set(ReviewItem.objects.filter(reason="sent").values_list("kind", "probability")) == {
        ("rubric", None)
    }
    assert Event.objects.get(verb="sent to people").why == "Look twice."


def test_it_counts_what_was_sent_by_hand_as_drawn_once_it_is_drawn(make_run: MakeRun, alice: Any) -> None:
    run = make_run({"B12": 10}, confidences=[0.9])
    sampling.draw(run)
    sampling.send(run, run.responses.values_list("pk", flat=True), alice)
    assert ReviewItem.objects.filter(run=run, probability=None).count() == 8
    sampling.widen(run, 1.0, alice)
    assert set(ReviewItem.objects.filter(run=run).values_list("probability", flat=True)) == {1.0}


def test_it_reopens_a_final_run_when_answers_are_sent(make_run: MakeRun, alice: Any) -> None:
    run = make_run({"B3": 2}, state=Run.State.FINAL)
    sampling.send(run, run.responses.values_list("pk", flat=True), alice, "A second look.")
    run.refresh_from_db()
    assert run.state == Run.State.AWAITING_REVIEW


def test_it_refuses_to_draw_from_a_run_that_does_not_await_review(make_run: MakeRun) -> None:
    run = make_run(state=Run.State.RUNNING)
    with pytest.raises(RunClosedError, match="it is running"):
        sampling.draw(run)


def test_it_finds_the_runs_that_were_not_drawn_from(make_run: MakeRun) -> None:
    run, other = make_run(), make_run()
    sampling.draw(other)
    assert list(sampling.undrawn()) == [run]
