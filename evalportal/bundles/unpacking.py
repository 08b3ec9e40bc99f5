"""The bundle of a run goes in; the run comes out in this portal, with the same numbers, or nothing at all."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import islice
from typing import IO, Any

from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, transaction

from evalportal.bundles import parts, surroundings
from evalportal.bundles.archives import Archive
from evalportal.bundles.parts import BundleError, Part
from evalportal.models import Person
from reviews.models import Event
from scoring import phases, reports, runs
from scoring.models import Membership, Run

Numbers = dict[str, dict[Any, int]]

_ROWS_AT_ONCE = 500
_CHECKED = {"name", "threshold", "samples", "judge_votes", "seed", "reviewers", "validation_share", "state"}
_WRONG = (
    LookupError, TypeError, ValueError, AttributeError, OverflowError,
    ValidationError, DataError, IntegrityError,
)  # fmt: skip


def unpack(file: IO[bytes], tell: Callable[[int, int], None] = lambda rows, total: None) -> Run:
    """Import a run that another portal bundled, and tell how many of how many rows are through.

    Whatever is wrong with the file, nothing is left behind.
    """
    try:
        with transaction.atomic():
            archive = Archive(file)
            return _unpacked(archive, lambda rows: tell(rows, archive.rows))
    except BundleError:
        raise
    except _WRONG as error:
        raise BundleError(f"The bundle cannot be imported: {_said(error)}") from error


def statement(run: Run) -> str:
    """Say what came of it."""
    return (
        f"Run {run.pk}, {run.name}, is imported: {run.responses.count():,} answers on {run.version}. "
        "It comes to the numbers that the bundle states."
    )


def _unpacked(archive: Archive, tell: Callable[[int], None]) -> Run:
    manifest = archive.manifest
    surroundings.benchmarks(manifest["benchmarks"])
    version = surroundings.version(archive)
    people = surroundings.people(archive)
    fields = {name: manifest["run"][name] for name in parts.RUN_FIELDS}
    _check_new(fields, version.pk)
    run = Run(version=version, **fields)
    for name in parts.ENDPOINTS:
        setattr(run, name, surroundings.endpoint(manifest["endpoints"][name]))
    run.created_by = Person.objects.filter(pk=people.get(manifest["run"]["created_by"], 0)).first()
    _check_run(run)
    run.save()
    members = Membership.objects.filter(version=version)
    numbers: Numbers = {"cases": dict(members.values_list("case__key", "case_id")), "people": people}
    numbers["rubrics"] = surroundings.rubrics(archive)
    through = version.case_count
    for part in parts.PARTS:
        numbers[part.name] = _add(part, archive, run, numbers, partial(_told, tell, through))
        through += len(numbers[part.name])
    _check_numbers(run)
    return runs.get(run.pk)


def _check_run(run: Run) -> None:
    if run.state not in Run.ENDED:
        raise BundleError(f"Only runs that have ended are imported, and this one is {run.state}.")
    phases.threshold(run.phase, run.threshold)
    run.clean_fields(exclude={field.name for field in Run._meta.fields} - _CHECKED)


def _check_new(fields: Mapping[str, Any], version: int) -> None:
    same = Run.objects.filter(name=fields["name"], version=version, created_at=fields["created_at"]).first()
    if same:
        raise BundleError(f"This run is here already: it is run {same.pk}, {same.name}.")


def _add(
    part: Part, archive: Archive, run: Run, numbers: Numbers, tell: Callable[[int], None]
) -> dict[Any, int]:
    """Add the rows of one part, some at a time, and say which number each of them got."""
    found: dict[Any, int] = {}
    columns = set(part.columns)
    stream = archive.records(part.file)
    while batch := list(islice(stream, _ROWS_AT_ONCE)):
        rows = [_row(part, columns, record, numbers, f"{part.file}, line {line}") for line, record in batch]
        for row in rows:
            setattr(row, "run" if part.model is Event else "run_id", run.pk)
        try:
            with transaction.atomic():
                made = part.model._default_manager.bulk_create(rows)
        except _WRONG as error:
            raise BundleError(f"{part.file}, from line {batch[0][0]} on: {_said(error)}") from error
        found |= {record["id"]: row.pk for (_, record), row in zip(batch, made, strict=True)}
        tell(len(found))
    return found


def _told(tell: Callable[[int], None], before: int, rows: int) -> None:
    tell(before + rows)


def _row(part: Part, columns: set[str], record: dict[str, Any], numbers: Numbers, where: str) -> Any:
    if record.keys() != columns:
        odd = ", ".join(sorted(record.keys() ^ columns))
        raise BundleError(f"{where}: these fields are missing, or not known here: {odd}.")
    values = {name: value for name, value in record.items() if name != "id"}
    for name, target in part.links.items():
        values[name] = _linked(values[name], numbers[target].get, loose=part.loose, where=f"{where}, {name}")
    return part.model(**values)


def _linked(value: Any, number: Callable[[Any], int | None], *, loose: bool, where: str) -> Any:
    """Turn the other portal's numbers into ours."""
    if value is None:
        return None
    if isinstance(value, list):
        return [_linked(one, number, loose=loose, where=where) for one in value]
    found = number(value)
    if found is None and not loose:
        raise BundleError(f"{where}: there is no {value!r} in the bundle.")
    return found


def _check_numbers(run: Run) -> None:
    """Sum the run up anew: what comes out must be what the bundle says came out."""
    if not run.summary:
        return
    computed = json.loads(json.dumps(reports.summarise(run)))
    if wrong := [name for name in run.summary if not _same(run.summary[name], computed.get(name))]:
        raise BundleError(f"The answers and scores do not come to the numbers stated: {', '.join(wrong)}.")


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    if isinstance(one, float) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return bool(one == other)


def _said(error: BaseException) -> str:
    if isinstance(error, ValidationError):
        return " ".join(error.messages)
    words: Iterable[str] = str(error).strip().splitlines()
    return next(iter(words), type(error).__name__)
