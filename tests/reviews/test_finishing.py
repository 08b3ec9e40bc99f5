"""Final: only when people are done and agree, or with a reason; then people's marks rule."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from evalportal.models import Person
from reviews import adjudication, assignments, finishing, sampling, submissions, validation
from reviews.finishing import NotReadyError
from reviews.items import AlreadySettledError, ReviewError, RunClosedError
from reviews.models import Assignment, Event, ReviewItem
from reviews.tasks import sweep_reviews
from scoring import registry, scores
from scoring.models import Run
from tests.reviews.making import the_event

MakeRun = Callable[..., Run]
Marks = dict[str, int]


@pytest.fixture
def run(make_run: MakeRun) -> Run:
    """A run of two Tier 2 answers and one verdict, drawn from."""
    made = make_run({"B7": 2, "B12": 1}, confidences=[0.5])
    made.verdicts.filter(response__case__benchmark="B7").delete()
    sampling.draw(made)
    return made


def _mark_all(people: dict[Any, Marks]) -> None:
    for person, marks in people.items():
        while found := assignments.next(person):
            if found.item.kind == "validation":
                submissions.submit(found.pk, person, marks)
                validation.decide(found.pk, person, "confirm")
            else:
                submissions.submit(found.pk, person, marks)


def _score(run: Run) -> None:
    scores.score(run.pk, ring=lambda bell: None)
    run.refresh_from_db()


def test_it_says_what_is_missing(run: Run) -> None:
    found = finishing.standing(run)
    assert (found.items, found.open, found.ready) == (3, 3, False)
    assert found.missing[0] == "3 answers are still to be marked."
    with pytest.raises(NotReadyError, match="3 answers are still to be marked"):
        finishing.finish(run)


def test_it_waits_for_disputed_answers(run: Run, bob: Any, carol: Any, marks: Marks) -> None:
    _mark_all({bob: marks, carol: dict.fromkeys(marks, 1)})
    assert "2 answers are disputed: settle them, or add a reviewer." in finishing.standing(run).missing


def test_it_waits_for_the_gate(run: Run, bob: Any, carol: Any, marks: Marks) -> None:
    _mark_all({bob: marks, carol: {key: value - 1 for key, value in marks.items()}})
    assert finishing.standing(run).missing == ("Reviewers agree on 0.0% of marks; 80% are asked for.",)


def test_it_needs_a_reason_where_agreement_cannot_be_measured(
    make_run: MakeRun, bob: Any, marks: Marks
) -> None:
    run = make_run({"B7": 2}, reviewers=1)
    sampling.draw(run)
    _mark_all({bob: marks})
    assert "Agreement cannot be measured" in finishing.standing(run).missing[0]


@pytest.mark.django_db(transaction=True)
def test_it_scores_a_finished_run_once_more_with_peoples_marks(
    run: Run, bob: Any, carol: Any, marks: Marks
) -> None:
    _mark_all({bob: marks, carol: marks})
    assert finishing.finish_ready() == [run.pk]
    _score(run)
    assert run.state == Run.State.FINAL
    newest = run.scorings.order_by("-number")[0]
    assert newest.number == 2
    values = {score.response.case.benchmark: score.values for score in newest.scores.all()}
    assert (values["B7"]["rubric"], values["B12"]["judge_rubric"]) == (0.75, 0.75)
    assert set(run.scorings.get(number=1).scores.values_list("pending", flat=True)) == {"awaiting review"}


@pytest.mark.django_db(transaction=True)
def test_it_takes_scores_over_that_people_do_not_change(
    make_run: MakeRun, bob: Any, carol: Any, marks: Marks
) -> None:
    run = make_run({"B7": 1, "B3": 2})
    versions = {name: metric.VERSION for name, metric in registry.plugins("scoring.metrics").items()}
    run.scorings.update(metric_versions=versions)
    run.scorings.get().scores.filter(response__case__benchmark="B3").update(overall=0.123, pending="")
    sampling.draw(run)
    _mark_all({bob: marks, carol: marks})
    finishing.finish(run)
    assert list(run.scorings.get(number=2).scores.values_list("overall", flat=True)) == [0.123, 0.123]
    _score(run)
    assert run.state == Run.State.FINAL


def test_it_lets_settled_marks_rule_over_the_reviewers(
    run: Run, alice: Any, bob: Any, carol: Any, marks: Marks
) -> None:
    _mark_all({bob: marks, carol: dict.fromkeys(marks, 1)})
    settled = dict.fromkeys(marks, 2)
    for item in adjudication.queue(run):
        adjudication.settle(item.pk, alice, settled, "Neither.")
    finishing.finish(run)
    ruling = run.responses.filter(case__benchmark="B7").values_list("people_marks", flat=True)
    assert list(ruling) == [[settled], [settled]]


def test_it_keeps_both_reviewers_marks_where_nothing_was_settled(
    run: Run, bob: Any, carol: Any, marks: Marks
) -> None:
    _mark_all({bob: marks, carol: marks})
    finishing.finish(run)
    assert run.responses.filter(case__benchmark="B7")[0].people_marks == [marks, marks]


def test_it_finalises_anyway_only_by_an_admin_with_a_reason(run: Run, alice: Any, dan: Any) -> None:
    with pytest.raises(ReviewError, match="Only admins"):
        finishing.finish_anyway(run, dan, "I want to.")
    with pytest.raises(ReviewError, match="Say why"):
        finishing.finish_anyway(run, alice, " ")


def test_it_records_why_a_run_was_finalised_anyway_and_closes_what_is_open(
    run: Run, alice: Any, bob: Any
) -> None:
    assignments.next(bob)
    finishing.finish_anyway(run, alice, "The reviewers are away.")
    event = the_event("finalised anyway")
    assert (event.who, event.why) == (alice, "The reviewers are away.")
    assert event.after["missing"][0] == "3 answers are still to be marked."
    assert set(ReviewItem.objects.values_list("state", flat=True)) == {"closed"}
    assert Assignment.objects.get().state == "expired"


def test_it_finishes_a_run_once(run: Run, alice: Any) -> None:
    finishing.finish_anyway(run, alice, "The reviewers are away.")
    with pytest.raises(RunClosedError):
        finishing.finish_anyway(run, alice, "Again.")


@pytest.mark.django_db(transaction=True)
def test_it_finishes_a_run_while_people_are_at_work_without_losing_a_mark(
    make_run: MakeRun, alice: Any, marks: Marks
) -> None:
    run = make_run({"B7": 40})
    sampling.draw(run)
    people = [Person.objects.create_user(f"r{n}", name=f"R{n}", role="reviewer") for n in range(6)]

    def work(person: Person) -> int:
        count = 0
        try:
            while found := assignments.next(person):
                submissions.submit(found.pk, person, marks)
                count += 1
        except (RunClosedError, AlreadySettledError):
            assert Assignment.objects.filter(person=person, draft__marks=marks).count() == 1
        finally:
            connection.close()
        return count

    with ThreadPoolExecutor(6) as pool:
        counts = pool.map(work, people)
        finishing.finish_anyway(run, alice, "Time is up.")
        submitted = sum(counts)
    ruling = sum(len(given) for given in run.responses.values_list("people_marks", flat=True))
    assert ruling == submitted


def test_it_draws_takes_back_and_finishes_by_the_clock(
    make_run: MakeRun, bob: Any, carol: Any, marks: Marks
) -> None:
    run = make_run({"B7": 1})
    sweep_reviews()
    assert ReviewItem.objects.filter(run=run).count() == 1
    _mark_all({bob: marks, carol: marks})
    sweep_reviews()
    sweep_reviews()
    run.refresh_from_db()
    assert run.reviewed_at
    assert Event.objects.filter(verb="finalised").count() == 1


def test_it_finishes_a_run_that_has_nothing_for_people(make_run: MakeRun) -> None:
    run = make_run({"B7": 1})
    run.scorings.get().scores.update(values={"rubric": 0.0})
    sweep_reviews()
    run.refresh_from_db()
    assert run.reviewed_at
