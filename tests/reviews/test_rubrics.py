"""Rubrics in versions; the judge marks by the one that was current when its run started."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from django.test import Client

from reviews import assignments, rubrics, sampling
from reviews.models import Assignment, Rubric
from reviews.rubrics import RubricError
from scoring import judging
from scoring.engine import local
from scoring.metrics import answer_quality
from scoring.models import Endpoint, Run
from tests.engine.making import echo, started, version
from tests.reviews.conftest import run_to_review
from tests.reviews.making import add_answers, the_event

MakeRun = Callable[..., Run]


@pytest.fixture
def assignment(make_run: MakeRun, bob: Any) -> Assignment:
    """An answer in bob's hands."""
    sampling.draw(make_run({"B7": 2}))
    found = assignments.next(bob)
    assert found
    return found


def test_it_has_written_anchors_for_every_mark_of_every_default_rubric(db: None) -> None:
    rubrics.defaults()
    rubrics.defaults()
    assert Rubric.objects.count() == 3
    for rubric in Rubric.objects.all():
        assert rubric.criteria.count() == 4
        assert all(len(anchor) > 15 for one in rubric.criteria.all() for anchor in one.anchors)


def test_it_changes_a_rubric_that_nobody_has_used(db: None, alice: Any) -> None:
    changed = rubrics.edit(rubrics.current("rubric"), alice, threshold=0.9)
    assert (changed.version, changed.threshold, changed.criteria.count()) == (1, 0.9, 4)


def test_it_makes_a_new_version_of_a_rubric_in_use(assignment: Assignment, alice: Any) -> None:
    used = assignment.item.rubric
    changed = rubrics.edit(used, alice, name="Stricter", measure="within_one")
    used.refresh_from_db()
    assert (used.version, used.measure, changed.version, changed.measure) == (1, "exact", 2, "within_one")
    assert rubrics.current("rubric") == changed
    assert the_event("rubric changed").before["version"] == 1


def test_it_refuses_to_change_an_old_version(assignment: Assignment, alice: Any) -> None:
    rubrics.edit(assignment.item.rubric, alice, threshold=0.7)
    with pytest.raises(RubricError, match="newer version"):
        rubrics.edit(assignment.item.rubric, alice, threshold=0.6)


@pytest.mark.parametrize(
    ("criteria", "message"),
    [
        ([], "at least one"),
        ([{"key": "a", "label": "A", "question": "?", "anchors": ["x"] * 4}], "each mark from 1 to 5"),
        ([{"key": "a", "label": "A", "question": "?", "anchors": ["x"] * 5}] * 2, "a key of its own"),
    ],
)
def test_it_refuses_a_rubric_nobody_could_mark_by(db: None, alice: Any, criteria: Any, message: str) -> None:
    with pytest.raises(RubricError, match=message):
        rubrics.edit(rubrics.current("rubric"), alice, criteria)


def test_it_refuses_a_name_that_the_judges_reply_has_for_something_else(db: None, alice: Any) -> None:
    criterion = {"key": "confidence", "label": "Confidence", "question": "?", "anchors": ["x"] * 5}
    with pytest.raises(RubricError, match="another name"):
        rubrics.edit(rubrics.current("validation"), alice, [criterion])


def test_it_has_a_run_go_on_by_the_version_that_it_began_with(make_run: MakeRun, alice: Any) -> None:
    run = make_run({"B7": 2})
    sampling.draw(run)
    rubrics.edit(rubrics.current("rubric"), alice, threshold=0.7)
    add_answers(run, "B7", 2)
    assert sampling.draw(run) == 2
    assert set(run.review_items.values_list("rubric__version", flat=True)) == {1}


EVIDENCE = {
    "key": "",
    "label": "Use of evidence",
    "question": "Does it name the evidence that an auditor would ask for?",
    "anchors": [f"Evidence of degree {mark}." for mark in range(1, 6)],
}


def _form(criteria: list[dict[str, Any]]) -> dict[str, Any]:
    form: dict[str, Any] = {"name": "Sharper", "measure": "exact", "threshold": "0.8"}
    form |= {"reviewers": "1", "dispute_spread": "2"}
    for name in ("key", "label", "question"):
        form[name] = [one[name] for one in criteria]
    return form | {"anchor": [anchor for one in criteria for anchor in one["anchors"]]}


def _save(client: Client, kind: str, criteria: list[dict[str, Any]]) -> None:
    assert client.post(f"/rubrics/{kind}/", _form(criteria)).status_code == 302


def _judged_run(alice: Any) -> Run:
    judge, _ = Endpoint.objects.get_or_create(name="Judge", gateway="echo", model="judge")
    return run_to_review(alice, 1, benchmark=12, judge=judge)


@pytest.mark.django_db(transaction=True)
def test_it_has_the_judge_asked_and_the_page_show_what_was_edited(
    alice: Any, bob: Any, signed_in: Callable[[Any], Client]
) -> None:
    before = _judged_run(alice)
    _save(signed_in(alice), "validation", [EVIDENCE])
    after = _judged_run(alice)
    old, new = before.verdicts.get(), after.verdicts.get()
    assert "- use_of_evidence: Does it name the evidence" in new.content
    assert "  4: Evidence of degree 4." in new.content
    assert "accuracy" not in new.content.partition("# The answer")[0].partition("# Criteria")[2]
    assert "- accuracy: " in old.content
    assert (old.rubric_version, new.rubric_version) == ("validation 1", "validation 2")
    assert new.prompt_version == judging.PROMPT_VERSION

    pages = {}
    while found := assignments.next(bob):
        page = signed_in(bob).get(f"/reviews/{found.pk}/")
        pages[found.item.run_id] = [row["criterion"].key for row in page.context["criteria"]]
        assert b"Evidence of degree 4." in page.content or found.item.run_id == before.pk
        assignments.skip(found.pk, bob)
    assert pages[after.pk] == ["use_of_evidence"] == [one["name"] for one in new.rubric]
    assert pages[before.pk] == ["accuracy", "completeness", "practicality", "clarity"]


@pytest.mark.django_db(transaction=True)
def test_it_keeps_what_the_judge_marks_by_when_the_rubric_changes_in_between(alice: Any) -> None:
    run = started(version(1, benchmark="B12"), echo(), judge=echo())
    rubrics.edit(
        rubrics.current("validation"), alice, threshold=0.5, criteria=[EVIDENCE | {"key": "evidence"}]
    )
    local.drive(run.pk, Event())
    assert "- accuracy: " in run.verdicts.get().content
    assert rubrics.current("validation").version == 2


def test_it_asks_the_judge_of_answers_on_the_criteria_that_their_metric_takes(db: None) -> None:
    rubric = rubrics.use_for_judge("cybersec")
    assert tuple(one.name for one in rubric.criteria) == tuple(answer_quality.CRITERIA)
    assert Rubric.objects.get(kind="quality").frozen


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"threshold": "1.5"}, "Threshold"),
        ({"threshold": "much"}, "Threshold: type a number."),
        ({"reviewers": "9"}, "Reviewers"),
        ({"name": ""}, "Name"),
        ({"question": "x" * 300}, "Question"),
    ],
)
def test_it_says_what_is_wrong_on_its_page_and_keeps_what_was_typed(
    alice: Any, signed_in: Callable[[Any], Client], wrong: dict[str, str], message: str
) -> None:
    criterion = {"key": "", "label": "Use & evidence", "question": "Which?", "anchors": ["words of mine"] * 5}
    page = signed_in(alice).post("/rubrics/rubric/", _form([criterion]) | wrong)
    assert page.status_code == 422
    assert message in page.content.decode()
    assert page.content.count(b"words of mine") == 5
    assert rubrics.current("rubric").criteria.count() == 4


def test_it_makes_a_key_of_whatever_a_criterion_is_called(
    alice: Any, signed_in: Callable[[Any], Client]
) -> None:
    _save(signed_in(alice), "rubric", [EVIDENCE | {"label": "Use & value of evidence?"}])
    assert rubrics.current("rubric").criteria.get().key == "use_value_of_evidence"
