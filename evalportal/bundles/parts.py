"""The parts of a bundle: which tables go into it, in which order, and what their rows refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.db.models import Model, Q, QuerySet

from evalportal.models import Person
from reviews.models import (
    Adjudication,
    Assignment,
    CalibrationRound,
    Draw,
    Event,
    Mark,
    Review,
    ReviewItem,
    Rubric,
)
from scoring.models import Response, Run, Score, Scoring, Verdict

FORMAT, FORMAT_VERSION = "evalportal run bundle", 1
MANIFEST, CASES = "manifest.json", "cases.jsonl"

# What a run is besides the version and the endpoints, which are described on their own.
RUN_FIELDS = (
    "name", "phase", "threshold", "benchmarks", "test_ids", "parameters", "samples", "noise_levels",
    "judge_votes", "judge_rubric", "seed", "use_cache", "reviewers", "validation_share", "state", "reason",
    "summary", "created_at", "started_at", "answered_at", "finished_at", "reviewed_at",
)  # fmt: skip
# Neither where an endpoint is nor which variable holds its key: a bundle may go far.
ENDPOINT_FIELDS = ("name", "gateway", "model", "parameters", "system_prompt")
ENDPOINTS = ("endpoint", "judge", "base")
RUBRIC_FIELDS = ("name", "measure", "threshold", "reviewers", "dispute_spread")
CRITERION_FIELDS = ("key", "label", "question", "anchors")
PERSON_FIELDS = ("username", "name", "role")


class BundleError(ValueError):
    """A run that cannot be bundled, or a bundle that cannot be imported; the message says why."""


class Part(NamedTuple):
    """One table: `of` leads from its rows to the run; `links` says which column refers to which part.

    A `loose` link may lead nowhere: what was decided outlives what it was about.
    """

    name: str
    model: type[Model]
    of: str
    links: Mapping[str, str]
    left_out: frozenset[str] = frozenset()
    loose: bool = False

    @property
    def file(self) -> str:
        return f"{self.name}.jsonl"

    @property
    def columns(self) -> list[str]:
        """Name the columns that are written, the row's number first."""
        fields = [field.attname for field in self.model._meta.concrete_fields]
        return [name for name in fields if name not in self.left_out and name != "run_id"]

    def rows(self, run: Run) -> QuerySet[Any]:
        """Find the rows of a run in the order they were made."""
        return self.model._default_manager.filter(**{self.of: run.pk}).order_by("pk")


# Who asks a question, when it may be asked again: of no meaning once it is answered.
_ASKING = frozenset({"asker", "not_before"})

PARTS = (
    Part("responses", Response, "run", {"case_id": "cases"}, _ASKING | {"prompt_digest"}),
    Part("verdicts", Verdict, "run", {"response_id": "responses"}, _ASKING),
    Part("scorings", Scoring, "run", {}),
    Part("scores", Score, "scoring__run", {"scoring_id": "scorings", "response_id": "responses"}),
    Part("draws", Draw, "run", {"responses": "responses"}),
    Part(
        "calibrations",
        CalibrationRound,
        "run",
        {"rubric_id": "rubrics", "created_by_id": "people", "concluded_by_id": "people"},
    ),
    Part(
        "items",
        ReviewItem,
        "run",
        {"response_id": "responses", "rubric_id": "rubrics", "calibration_id": "calibrations"},
        frozenset({"assigned_to_id"}),
    ),
    Part(
        "assignments",
        Assignment,
        "item__run",
        {"item_id": "items", "person_id": "people"},
        frozenset({"draft", "draft_saved_at"}),
    ),
    Part("reviews", Review, "item__run", {"item_id": "items", "person_id": "people"}),
    Part("marks", Mark, "review__item__run", {"review_id": "reviews"}),
    Part("adjudications", Adjudication, "item__run", {"item_id": "items", "by_id": "people"}),
    Part(
        "events",
        Event,
        "run",
        {"who_id": "people", "response": "responses", "item": "items"},
        frozenset({"run"}),
        loose=True,
    ),
)
FILES = (CASES, "people.jsonl", "rubrics.jsonl", *(part.file for part in PARTS))


def people(run: Run) -> Iterator[dict[str, Any]]:
    """Describe everybody who has had to do with a run."""
    concerned = (
        Q(pk=run.created_by_id)
        | Q(pk__in=Review.objects.filter(item__run=run).values("person"))
        | Q(pk__in=Assignment.objects.filter(item__run=run).values("person"))
        | Q(pk__in=Adjudication.objects.filter(item__run=run).values("by"))
        | Q(pk__in=CalibrationRound.objects.filter(run=run).values("created_by"))
        | Q(pk__in=CalibrationRound.objects.filter(run=run).values("concluded_by"))
        | Q(pk__in=Event.objects.filter(run=run.pk).values("who"))
    )
    yield from Person.objects.filter(concerned).order_by("pk").values("id", *PERSON_FIELDS)


def rubrics(run: Run) -> Iterator[dict[str, Any]]:
    """Describe the rubrics that a run was marked by."""
    used = Q(items__run=run) | Q(pk__in=CalibrationRound.objects.filter(run=run).values("rubric"))
    for rubric in Rubric.objects.filter(used).distinct().order_by("pk"):
        yield {"id": rubric.pk, "kind": rubric.kind, "version": rubric.version, **described(rubric)}


def described(rubric: Rubric) -> dict[str, Any]:
    """Say what a rubric asks for; two that say the same are the same."""
    settings = {name: getattr(rubric, name) for name in RUBRIC_FIELDS}
    criteria = rubric.criteria.order_by("position").values(*CRITERION_FIELDS)
    return {**settings, "criteria": list(criteria)}
