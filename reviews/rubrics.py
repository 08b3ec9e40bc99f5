"""What to mark by goes in; rubrics come out in versions, which never change once somebody marks by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from reviews import events
from reviews.default_rubrics import RUBRICS
from reviews.events import Verb
from reviews.items import ReviewError
from reviews.models import Criterion, Rubric
from scoring import judging
from scoring.judge_rubrics import JudgeRubric
from scoring.models import Run

if TYPE_CHECKING:
    from evalportal.models import Person

_SETTINGS = ("name", "measure", "threshold", "reviewers", "dispute_spread")
_ANCHORS = 5


class RubricError(ReviewError):
    """A rubric that nobody could mark by; the message says what is wrong with it."""


def defaults() -> None:
    """Make the rubrics that every portal begins with, where there is none of their kind yet."""
    for kind, given in RUBRICS.items():
        try:
            with transaction.atomic():
                if not Rubric.objects.filter(kind=kind).exists():
                    made = Rubric.objects.create(kind=kind, name=given.name, reviewers=given.reviewers)
                    _add_criteria(made, [one._asdict() for one in given.criteria])
        except IntegrityError:  # Somebody else made it at the same moment.
            continue


def current(kind: str) -> Rubric:
    """Find the newest rubric of a kind."""
    if not (found := Rubric.objects.filter(kind=kind).order_by("-version").first()):
        defaults()
        found = Rubric.objects.filter(kind=kind).latest("version")
    return found


def use(kind: str) -> Rubric:
    """Find the newest rubric of a kind and freeze it: answers are going to be marked by it."""
    rubric = current(kind)
    if not rubric.frozen:
        Rubric.objects.filter(pk=rubric.pk, used_at=None).update(used_at=Now())
        rubric.refresh_from_db()
    return rubric


def criteria(rubric: Rubric) -> tuple[Criterion, ...]:
    """Give the criteria of a rubric that items go by; such a one never changes, so they are kept."""
    return _criteria(rubric.pk, rubric.used_at)


def use_for_judge(suite: str) -> JudgeRubric:
    """Give out what a judge marks the answers of a suite by; people validate its verdicts by the same."""
    rubric = use(Rubric.Kind.QUALITY if suite == "cybersec" else Rubric.Kind.VALIDATION)
    criteria = rubric.criteria.order_by("position").values_list("key", "question", "anchors")
    return JudgeRubric(rubric.kind, rubric.version, tuple(judging.Criterion(*one) for one in criteria))


def use_in(run: Run, kind: str) -> Rubric:
    """Find the rubric of a kind that a run goes by: its judge's, that of its earlier items, or the newest."""
    versions = Rubric.objects.filter(kind=kind)
    if run.judge_rubric.get("kind") == kind:
        versions = versions.filter(version=run.judge_rubric["version"])
    else:
        versions = versions.filter(items__run=run)
    return versions.order_by("-version").first() or use(kind)


@transaction.atomic
def edit(
    rubric: Rubric, by: Person, criteria: Sequence[Mapping[str, Any]] | None = None, **settings: Any
) -> Rubric:
    """Change a rubric nobody has used yet, or make the next version of one that is in use.

    `criteria` are key, label, question and five anchors each, in their order; `settings` any of name,
    measure, threshold, reviewers and dispute_spread.
    """
    held = Rubric.objects.select_for_update().get(pk=rubric.pk)
    if current(held.kind).pk != held.pk:
        raise RubricError("There is a newer version of this rubric. Change that one.")
    wanted = [_plain(one) for one in held.criteria.all()] if criteria is None else [*criteria]
    before = _described(held)
    if held.frozen:
        kept = {name: getattr(held, name) for name in _SETTINGS}
        held = Rubric(kind=held.kind, version=held.version + 1, created_by=by, **kept)
    _change(held, settings)
    held.criteria.all().delete()
    _add_criteria(held, wanted)
    events.record(
        Verb.RUBRIC_CHANGED,
        by,
        before=before,
        after=_described(held),
        rubric_version=f"{held.kind} {held.version}",
    )
    return held


@lru_cache(maxsize=256)
def _criteria(rubric_id: int, used_at: datetime | None) -> tuple[Criterion, ...]:
    return tuple(Criterion.objects.filter(rubric=rubric_id).order_by("position"))


def _change(rubric: Rubric, settings: Mapping[str, Any]) -> None:
    if unknown := set(settings) - set(_SETTINGS):
        raise RubricError(f"A rubric has no setting {', '.join(sorted(unknown))}.")
    for name, value in settings.items():
        setattr(rubric, name, value)
    _clean(rubric, exclude=["created_by", "used_at"])
    rubric.save()


def _add_criteria(rubric: Rubric, criteria: Sequence[Mapping[str, Any]]) -> None:
    if not criteria:
        raise RubricError("A rubric needs at least one criterion.")
    keys = [one["key"] for one in criteria]
    if len(set(keys)) < len(keys):
        raise RubricError("Each criterion needs a key of its own.")
    if taken := judging.RESERVED & set(keys):
        raise RubricError(f"Give {', '.join(sorted(taken))} another name: the judge's reply has it already.")
    for position, one in enumerate(criteria, 1):
        anchors = [str(anchor).strip() for anchor in one["anchors"]]
        if len(anchors) != _ANCHORS or not all(anchors):
            raise RubricError(f"{one['label']}: write a sentence for each mark from 1 to 5.")
        row = Criterion(rubric=rubric, position=position, **{**one, "anchors": anchors})
        _clean(row, exclude=["rubric"])
        row.save()


def _clean(row: Rubric | Criterion, exclude: list[str]) -> None:
    try:
        row.full_clean(exclude=exclude)
    except ValidationError as error:
        what = f"{row.label}: " if isinstance(row, Criterion) and row.label else ""
        said = (f"{name.replace('_', ' ')}: {' '.join(text)}" for name, text in error.message_dict.items())
        raise RubricError(f"{what}{' '.join(said)}".capitalize()) from error


def _plain(criterion: Criterion) -> dict[str, Any]:
    return {name: getattr(criterion, name) for name in ("key", "label", "question", "anchors")}


def _described(rubric: Rubric) -> dict[str, Any]:
    settings = {name: getattr(rubric, name) for name in ("kind", "version", *_SETTINGS)}
    return settings | {"criteria": [_plain(one) for one in rubric.criteria.all()]}
