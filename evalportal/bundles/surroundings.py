"""What a bundle says of its surroundings goes in; this portal's own rows for them come out, found or made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models.functions import Now

from evalportal.bundles import parts
from evalportal.bundles.archives import Archive
from evalportal.bundles.parts import BundleError
from evalportal.models import Person
from reviews.models import Criterion, Rubric
from scoring import cases, registry
from scoring.models import CustomBenchmark, Endpoint, Version
from scoring.uploads import Source


def version(archive: Archive) -> Version:
    """Find the version that holds exactly these cases, or import them as one."""
    wanted = archive.manifest["dataset"]
    known = Version.objects.filter(digest=wanted["digest"], dataset__suite=wanted["suite"])
    found = known.filter(dataset__name=wanted["name"]).first() or known.order_by("pk").first()
    if found:
        return found
    try:
        outcome = cases.add(
            [Source(parts.CASES, archive.chunks(parts.CASES))], dataset=wanted["name"], suite=wanted["suite"]
        )
    except (cases.NotForTheseError, LookupError) as error:
        raise BundleError(str(error)) from error
    if outcome.version is None:
        problem = outcome.problems.kept[0]
        raise BundleError(f"{problem.file}, line {problem.line}, {problem.field}: {problem.reason}")
    if outcome.version.digest != wanted["digest"]:
        raise BundleError("The cases are not those that the manifest says the run was about.")
    return outcome.version


def benchmarks(described: Iterable[Mapping[str, Any]]) -> None:
    """Register the benchmarks of the users' own that the cases belong to; refuse those that differ here."""
    for one in described:
        made, is_new = CustomBenchmark.objects.get_or_create(code=one["code"], defaults=dict(one))
        if is_new:
            made.clean_fields(exclude=["created_by"])
        elif any(getattr(made, name) != value for name, value in one.items()):
            raise BundleError(f"{made.code} is registered here as something else: {made.name}, {made.route}.")


def endpoint(described: Mapping[str, Any] | None) -> Endpoint | None:
    """Find the endpoint that the same model is asked by, or note it down; where it is, nobody says."""
    if described is None:
        return None
    same = {name: described[name] for name in ("gateway", "model")}
    found = Endpoint.objects.filter(name=described["name"], **same).first()
    if found:
        return found
    registry.plugin("scoring.gateways", described["gateway"])
    name = _free(described["name"], Endpoint.objects.values_list("name", flat=True), 80)
    made = Endpoint(**{**described, "name": name})
    made.full_clean(exclude=["created_by"])
    made.save()
    return made


def people(archive: Archive) -> dict[int, int]:
    """Map people of the bundle to people here: those of the same name, else new ones who cannot sign in."""
    found = {}
    for _, one in archive.records("people.jsonl"):
        known = Person.objects.filter(username=one["username"], name=one["name"]).first()
        found[one["id"]] = (known or _stranger(one)).pk
    return found


def _stranger(one: Mapping[str, Any]) -> Person:
    username = _free(one["username"], Person.objects.values_list("username", flat=True), 60)
    made = Person(username=username, name=one["name"], role=one["role"], is_active=False)
    made.set_unusable_password()
    made.full_clean(exclude=["password"])
    made.save()
    return made


def rubrics(archive: Archive) -> dict[int, int]:
    """Map rubrics of the bundle to those that say the same here, made where there are none."""
    return {one["id"]: _rubric(one).pk for _, one in archive.records("rubrics.jsonl")}


def _rubric(one: Mapping[str, Any]) -> Rubric:
    content = {name: one[name] for name in (*parts.RUBRIC_FIELDS, "criteria")}
    known = list(Rubric.objects.filter(kind=one["kind"]).order_by("-version"))
    for rubric in known:
        if parts.described(rubric) == content:
            Rubric.objects.filter(pk=rubric.pk, used_at=None).update(used_at=Now())
            return rubric
    made = _add_rubric(one["kind"], known[0].version + 1 if known else one["version"], content)
    if known:
        # New runs are marked by the newest rubric: that must stay the one that this portal chose.
        _add_rubric(one["kind"], made.version + 1, parts.described(known[0]))
    Rubric.objects.filter(pk=made.pk).update(used_at=Now())
    return made


def _add_rubric(kind: str, number: int, content: Mapping[str, Any]) -> Rubric:
    made = Rubric(kind=kind, version=number, **{name: content[name] for name in parts.RUBRIC_FIELDS})
    made.full_clean(exclude=["created_by", "used_at"])
    made.save()
    for position, criterion in enumerate(content["criteria"], 1):
        row = Criterion(rubric=made, position=position, **criterion)
        row.full_clean()
        row.save()
    return made


def _free(name: str, taken: Iterable[str], most: int) -> str:
    """Keep a name, or put the first number behind it that makes it a new one."""
    known, wanted, number = set(taken), name, 2
    while wanted in known:
        wanted = f"{name[: most - 5]}-{number}"
        number += 1
    return wanted
