"""The report on agreement, and the gate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from reviews import adjudication, agreement, assignments, rubrics, sampling, submissions
from reviews.models import AgreementReport, ReviewItem
from scoring.models import Run

MakeRun = Callable[..., Run]
EVEN = {"accuracy": 4, "completeness": 4, "practicality": 4, "clarity": 4}


def mark_all(people: dict[Any, Callable[[int], dict[str, int]]], seconds: float = 60) -> None:
    """Have people mark all that waits for them, by what they would give the nth answer."""
    for person, give in people.items():
        while found := assignments.next(person):
            submissions.submit(found.pk, person, give(found.item.turn), seconds=seconds)


@pytest.fixture
def run(make_run: MakeRun) -> Run:
    """A run of ten answers, drawn from."""
    made = make_run({"B7": 6, "B10": 4})
    sampling.draw(made)
    return made


def test_it_measures_agreement_in_every_way_and_by_every_part(run: Run, bob: Any, carol: Any) -> None:
    mark_all({bob: lambda n: EVEN | {"clarity": 1 + n % 5}, carol: lambda n: EVEN | {"clarity": 1 + n % 4}})
    found = agreement.report(run)["kinds"]["rubric"]
    assert found["overall"].keys() == {"exact", "within_one", "kappa", "krippendorff_alpha", "gwet_ac2"}
    assert found["by_criterion"]["accuracy"]["exact"]["value"] == 1.0
    # 1 + n % 5 and 1 + n % 4 are equal for n = 1, 2, 3 of 1 to 10.
    assert found["by_criterion"]["clarity"]["exact"]["value"] == pytest.approx(0.3)
    assert found["overall"]["exact"]["value"] == pytest.approx((30 + 3) / 40)
    assert found["overall"]["exact"]["low"] < 33 / 40 < found["overall"]["exact"]["high"]
    assert set(found["by_benchmark"]) == {"B7", "B10"}
    assert [pair["pair"] for pair in found["by_pair"]] == [[bob.pk, carol.pk]]


def test_it_opens_the_gate_at_four_fifths(run: Run, bob: Any, carol: Any) -> None:
    mark_all({bob: lambda n: EVEN, carol: lambda n: EVEN | ({"clarity": 5} if n <= 8 else {})})
    gate = agreement.gate(run)
    assert gate
    assert (gate["agreement"]["value"], gate["met"]) == (32 / 40, True)


def test_it_says_where_the_gate_is_missed_and_what_to_do(run: Run, bob: Any, carol: Any) -> None:
    mark_all({bob: lambda n: EVEN, carol: lambda n: EVEN | {"clarity": 2}})
    gate = agreement.gate(run)
    assert gate
    assert not gate["met"]
    assert gate["criteria"][0] == {"name": "clarity", "value": 0.0, "n": 10}
    assert [one["do"] for one in gate["advice"]] == ["calibrate", "compare", "adjudicate", "add a reviewer"]


def test_it_goes_by_the_rubrics_own_measure(make_run: MakeRun, alice: Any, bob: Any, carol: Any) -> None:
    rubrics.edit(rubrics.current("rubric"), alice, measure="within_one", threshold=0.9)
    run = make_run({"B7": 5})
    sampling.draw(run)
    mark_all({bob: lambda n: EVEN, carol: lambda n: dict.fromkeys(EVEN, 5)})
    gate = agreement.gate(run)
    assert gate
    assert (gate["measure"], gate["agreement"]["value"], gate["met"]) == ("within_one", 1.0, True)


def test_it_counts_a_settled_answer_as_agreed_and_shows_the_marks_as_given(
    run: Run, alice: Any, bob: Any, carol: Any
) -> None:
    mark_all({bob: lambda n: EVEN, carol: lambda n: EVEN if n > 3 else dict.fromkeys(EVEN, 1)})
    for item in adjudication.queue(run):
        adjudication.settle(item.pk, alice, EVEN, "Bob is right.")
    gate = agreement.gate(run)
    assert gate
    assert (gate["agreement"]["value"], gate["as_given"]["value"]) == (1.0, 0.7)


def test_it_is_defined_on_unanimous_marks(run: Run, bob: Any, carol: Any) -> None:
    mark_all({bob: lambda n: EVEN, carol: lambda n: EVEN})
    overall = agreement.report(run)["kinds"]["rubric"]["overall"]
    assert overall["exact"]["value"] == 1.0
    assert overall["krippendorff_alpha"]["value"] is None
    assert overall["krippendorff_alpha"]["reason"]


def test_it_is_defined_where_nobody_has_marked(run: Run) -> None:
    gate = agreement.gate(run)
    assert gate
    assert gate["met"] is None
    assert gate["agreement"]["reason"]


def test_it_has_no_gate_where_verdicts_are_validated_by_one_person(make_run: MakeRun) -> None:
    run = make_run({"B12": 3}, confidences=[0.5])
    sampling.draw(run)
    assert agreement.gate(run) is None


def test_it_keeps_the_report_until_something_is_decided(run: Run, bob: Any, carol: Any, marks: Any) -> None:
    mark_all({bob: lambda n: EVEN})
    agreement.report(run)
    AgreementReport.objects.update(report={"kept": True})
    assert agreement.report(run) == {"kept": True}
    found = assignments.next(carol)
    assert found
    submissions.submit(found.pk, carol, marks)
    assert agreement.report(run)["kinds"]["rubric"]["in_common"] == 1


def test_it_flags_whoever_is_too_fast(run: Run, bob: Any, carol: Any) -> None:
    mark_all({bob: lambda n: EVEN}, seconds=90)
    mark_all({carol: lambda n: EVEN}, seconds=3)
    speed = {one["reviewer"]: one["too_fast"] for one in agreement.report(run)["speed"]}
    assert speed == {bob.pk: False, carol.pk: True}


def test_it_lists_the_answers_where_two_people_differ_furthest_first(run: Run, bob: Any, carol: Any) -> None:
    far = {1: {"clarity": 3}, 2: {"accuracy": 1, "clarity": 3}}
    mark_all({bob: lambda n: EVEN, carol: lambda n: EVEN | far.get(n, {})})
    found = agreement.differences(run, bob.pk, carol.pk)
    assert [(one.item.turn, one.apart) for one in found] == [(2, 3), (1, 1)]
    assert found[0].marks == {"accuracy": (4, 1), "clarity": (4, 3)}
    assert len(agreement.differences(run, bob.pk, carol.pk, criterion="accuracy")) == 1


def test_it_gives_the_marks_of_each_day(run: Run, bob: Any) -> None:
    mark_all({bob: lambda n: EVEN})
    days = agreement.report(run)["days"]
    assert [(day["reviewer"], day["reviews"], day["mean"]) for day in days] == [(bob.pk, 10, 4.0)]


@pytest.mark.parametrize(("zone", "day"), [("UTC", "2026-03-01"), ("Asia/Singapore", "2026-03-02")])
def test_it_counts_days_as_they_are_where_people_work(
    run: Run, bob: Any, settings: Any, zone: str, day: str
) -> None:
    settings.TIME_ZONE = zone
    mark_all({bob: lambda n: EVEN})
    with connection.cursor() as cursor:
        # Reviews never change; here the clock must.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE reviews_review DISABLE TRIGGER USER")
        cursor.execute("UPDATE reviews_review SET created_at = '2026-03-01T18:00Z'")
    assert [row["day"] for row in agreement.report(run)["days"]] == [day]


def test_it_agrees_with_a_count_by_hand_on_three_reviewers(
    make_run: MakeRun, bob: Any, carol: Any, erin: Any
) -> None:
    run = make_run({"B7": 2}, reviewers=3)
    sampling.draw(run)
    mark_all({bob: lambda n: EVEN, carol: lambda n: EVEN, erin: lambda n: EVEN | {"accuracy": 3}})
    assert ReviewItem.objects.filter(state="complete").count() == 2
    overall = agreement.report(run)["kinds"]["rubric"]["overall"]
    assert overall["exact"]["value"] == pytest.approx(20 / 24)
