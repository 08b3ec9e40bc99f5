"""A run leaves one portal as a file and comes to the same numbers in another."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Event as Flag
from typing import Any, NamedTuple

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test import Client
from django.utils import timezone

from evalportal import leaderboard
from evalportal.bundles import packing, parts, unpacking
from evalportal.bundles.parts import BundleError
from evalportal.leaderboard import Filters
from evalportal.models import Person
from reviews import agreement, rubrics
from reviews.models import Adjudication, Event, Mark, ReviewItem, Rubric
from scoring import runs
from scoring.engine import local
from scoring.models import Case, Dataset, Endpoint, Response, Run, Score, Verdict, Version
from tests.evalportal import making

pytestmark = pytest.mark.django_db(transaction=True)

PEOPLE = {"alice": "admin", "bob": "reviewer", "carol": "reviewer"}


class Original(NamedTuple):
    """A final run as it was before its portal was emptied."""

    run: Run
    bundle: bytes
    scores: list[Any]
    events: list[Any]
    gates: dict[str, Any]
    counts: list[int]
    board: Any


@cache
def _original() -> Original:
    """Run, judge, mark, settle and bundle once; then nothing and nobody is left."""
    alice, bob, carol = (_person(name, role) for name, role in PEOPLE.items())
    run = making.reviewed(alice, bob, carol)
    bundle = b"".join(packing.pack(run))
    made = Original(run, bundle, _scores(run), _events(run), _gates(run), _counts(), _board())
    _empty()
    return made


@pytest.fixture
def original() -> Original:
    """What there was, in a portal in which nothing is."""
    return _original()


@pytest.fixture
def bundle(original: Original) -> bytes:
    return original.bundle


def _import(bundle: bytes | io.BytesIO) -> Run:
    return unpacking.unpack(io.BytesIO(bundle) if isinstance(bundle, bytes) else bundle)


def _person(name: str, role: str) -> Any:
    return Person.objects.create_user(name, name=name.title(), role=role)


def _events(run: Run) -> list[Any]:
    found = Event.objects.filter(run=run.pk).order_by("pk")
    return list(found.values_list("verb", "who__username", "at", "why"))


def _gates(run: Run) -> dict[str, Any]:
    gate = agreement.gate(run)
    assert gate
    return {name: gate[name] for name in ("met", "agreement", "as_given", "criteria")}


def _board() -> Any:
    """Read what the leaderboard shows, of one run and as it was at the end of that day."""
    today = timezone.localdate()
    boards = [leaderboard.board(wanted) for wanted in (Filters(), Filters(as_of=today))]
    return [
        [
            (row.run.name, row.rank, row.why, row.final, dict(row.figures), dict(row.review))
            for row in one.rows
        ]
        for one in boards
    ]


def _counts() -> list[int]:
    return [model.objects.count() for model in (Case, Response, Verdict, Mark, Adjudication, Event)]


def _empty() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "TRUNCATE scoring_dataset, scoring_case, scoring_membership, scoring_endpoint, scoring_run,"
            " reviews_rubric, reviews_event, evalportal_person CASCADE"
        )


def _changed(bundle: bytes, name: str, old: bytes, new: bytes, *, honest: bool = True) -> io.BytesIO:
    """Change one file of a bundle, and its hash with it if it is to look honest."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(bundle)) as before, zipfile.ZipFile(made, "w") as after:
        contents = {one: before.read(one) for one in before.namelist()}
        assert old in contents[name]
        contents[name] = contents[name].replace(old, new)
        if honest and name != parts.MANIFEST:
            manifest = json.loads(contents[parts.MANIFEST])
            manifest["files"][name]["sha256"] = sha256(contents[name]).hexdigest()
            contents[parts.MANIFEST] = json.dumps(manifest).encode()
        for one, content in contents.items():
            after.writestr(one, content)
    return made


def _scores(run: Run) -> list[Any]:
    scores = Score.objects.filter(scoring__run=run).order_by("scoring__number", "response__position")
    fields = ("scoring__number", "response__case__key", "overall", "machine_overall", "passed", "pending")
    return list(scores.values_list(*fields, "fabricated", "flags", "values", "details"))


def test_it_comes_to_the_same_numbers_in_an_empty_portal(original: Original) -> None:
    Endpoint.objects.create(name="In the way", gateway="echo", model="echo")  # so that numbers differ

    made = _import(original.bundle)

    assert (made.state, made.summary) == (Run.State.FINAL, original.run.summary)
    assert _scores(made) == original.scores
    assert _gates(made) == original.gates
    assert _counts() == original.counts
    assert (made.created_at, made.reviewed_at) == (original.run.created_at, original.run.reviewed_at)


def test_it_gives_the_same_board(original: Original) -> None:
    _import(original.bundle)
    assert _board() == original.board


def test_it_recomputes_to_the_same_numbers_from_the_answers_and_marks_alone(original: Original) -> None:
    made = _import(original.bundle)
    made.scorings.all().delete()
    Run.objects.filter(pk=made.pk).update(state=Run.State.SCORING, summary={})

    local.drive(made.pk, Flag())

    again = runs.get(made.pk)
    assert again.state == Run.State.FINAL
    for name in original.run.summary.keys() - {"scoring"}:
        assert again.summary[name] == original.run.summary[name], name


def test_it_bundles_an_imported_run_again(original: Original) -> None:
    first = zipfile.ZipFile(io.BytesIO(original.bundle))
    again = zipfile.ZipFile(io.BytesIO(b"".join(packing.pack(runs.get(_import(original.bundle).pk)))))
    assert again.read(parts.CASES) == first.read(parts.CASES)
    rows = [json.loads(one.read(parts.MANIFEST))["files"] for one in (first, again)]
    assert [one["rows"] for one in rows[0].values()] == [one["rows"] for one in rows[1].values()]


def test_it_keeps_who_decided_what_and_when(original: Original) -> None:
    made = _import(original.bundle)

    assert _events(made) == original.events
    answers = set(made.responses.values_list("pk", flat=True))
    assert set(Event.objects.filter(run=made.pk).values_list("response", flat=True)) - {None} <= answers
    assert not Person.objects.filter(is_active=True).exists()


def test_it_takes_people_of_the_same_name_for_the_same(bundle: bytes) -> None:
    bob = _person("bob", "reviewer")
    Person.objects.create_user("carol", name="Another Carol", role="reviewer")

    made = _import(bundle)

    assert Person.objects.get(username="carol-2", name="Carol").is_active is False
    assert Mark.objects.filter(review__item__run=made, review__person=bob).exists()


def test_it_uses_the_version_and_the_endpoints_that_are_there(bundle: bytes) -> None:
    first = _import(bundle)
    first.delete()
    made = _import(bundle)
    assert (Version.objects.count(), Endpoint.objects.count()) == (1, 2)
    assert (made.version_id, made.endpoint_id) == (first.version_id, first.endpoint_id)


def test_it_makes_the_next_version_where_the_dataset_holds_other_cases(bundle: bytes) -> None:
    making.dataset(making.ccop_rows({"B2": 1}))
    made = _import(bundle)
    assert (made.version.number, Dataset.objects.count()) == (2, 1)


def test_it_leaves_the_rubric_that_new_runs_use_as_it_is(bundle: bytes) -> None:
    mine = rubrics.edit(rubrics.current("rubric"), _person("alice", "admin"), threshold=0.9)

    made = _import(bundle)

    assert rubrics.current("rubric").threshold == mine.threshold
    item = ReviewItem.objects.filter(run=made, kind="rubric").first()
    assert item
    assert item.rubric.threshold == 0.8


def test_it_refuses_a_run_that_is_here_already(bundle: bytes) -> None:
    made = _import(bundle)
    with pytest.raises(BundleError, match=f"it is run {made.pk}"):
        _import(bundle)


def test_it_never_takes_answers_of_another_portal_for_its_own_cache(bundle: bytes) -> None:
    assert set(_import(bundle).responses.values_list("prompt_digest", flat=True)) == {""}


def test_it_says_neither_where_a_model_is_nor_which_key_it_takes(bundle: bytes) -> None:
    run = _import(bundle)
    Endpoint.objects.update(base_url="http://secret.example/v1", key_variable="SECRET_KEY_NAME")
    with zipfile.ZipFile(io.BytesIO(b"".join(packing.pack(runs.get(run.pk))))) as archive:
        content = b"".join(map(archive.read, archive.namelist()))
    assert b"secret.example" not in content
    assert b"SECRET_KEY_NAME" not in content


def test_it_bundles_only_what_has_ended(bundle: bytes) -> None:
    run = _import(bundle)
    Run.objects.filter(pk=run.pk).update(state=Run.State.AWAITING_REVIEW)
    with pytest.raises(BundleError, match="This one is awaiting review"):
        packing.pack(runs.get(run.pk))


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("scores.jsonl", b'"overall": 0', b'"overall": 1', "do not come to the numbers"),
        ("responses.jsonl", b'"sample": 1', b'"sample": "x"', "from line 1 on"),
        ("marks.jsonl", b'"value": 4', b'"value": 9', "mark_from_1_to_5"),
        ("marks.jsonl", b'{"id"', b'["id"', "line 1: this is not JSON"),
        ("marks.jsonl", b'"value": 4', b'"value": NaN', "NaN is no number"),
        ("marks.jsonl", b'"value"', b'"worth"', "not known here: value, worth"),
        ("people.jsonl", b'"username"', b'"user"', "cannot be imported: 'username'"),
        ("verdicts.jsonl", b'"response_id": ', b'"response_id": 9', "there is no 9"),
        ("cases.jsonl", b"water utility", b"gas utility", "not those that the manifest says"),
        ("cases.jsonl", b'"Medium"', b'"Middling"', "line 1, difficulty"),
        ("manifest.json", b'"format_version": 1', b'"format_version": 2', "reads version 1"),
        ("manifest.json", b'"state": "final"', b'"state": "running"', "have ended"),
        ("manifest.json", b'"samples": 1', b'"samples": 0', "greater than or equal to 1"),
        ("manifest.json", b'"phase": "baseline"', b'"phase": "never"', "there is no 'never'"),
        ("manifest.json", b'"endpoints"', b'"elsewhere"', "says nothing of: endpoints"),
        ("manifest.json", b'"gateway": "echo"', b'"gateway": "magic"', "There is no 'magic' in"),
        ("manifest.json", b'{"sha256"', b'[], "x": {"sha256"', "each once"),
        ("manifest.json", b'"sha256": "', b'"sha256": 7, "x": "', "is not what the manifest says"),
        ("manifest.json", b"evalportal run", b"another", "does not say"),
    ],
)
def test_it_refuses_a_bundle_that_was_tampered_with(
    bundle: bytes, name: str, old: bytes, new: bytes, said: str
) -> None:
    with pytest.raises(BundleError, match=said):
        _import(_changed(bundle, name, old, new))
    assert not any(model.objects.exists() for model in (Run, Dataset, Person, Endpoint, Rubric))


def test_it_refuses_a_damaged_file(bundle: bytes) -> None:
    with pytest.raises(BundleError, match=r"marks\.jsonl is not what the manifest says"):
        _import(_changed(bundle, "marks.jsonl", b'"value": 4', b'"value": 5', honest=False))
    for nonsense in (b"", b"PK", bundle[: len(bundle) // 2], bundle[:200] + b"\0" * 200 + bundle[400:]):
        with pytest.raises(BundleError):
            _import(nonsense)


def test_it_goes_by_commands_too(bundle: bytes, tmp_path: Path) -> None:
    path, words = tmp_path / "run.zip", io.StringIO()
    run = _import(bundle)
    call_command("export_run", run.pk, "--bundle", output=path, stderr=io.StringIO())
    with pytest.raises(CommandError, match="here already"):
        call_command("import_bundle", path)
    _empty()
    call_command("import_bundle", path, stdout=words)
    assert "7 answers on made version 1. It comes to the numbers that the bundle states." in words.getvalue()
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_bundle", tmp_path / "missing.zip")


def test_it_gives_the_bundle_to_managers(bundle: bytes, dan: Any, signed_in: Callable[[Any], Client]) -> None:
    run = _import(bundle)
    page: Any = signed_in(dan).get(f"/runs/{run.pk}/bundle/")
    archive = zipfile.ZipFile(io.BytesIO(b"".join(page)))
    assert sorted(archive.namelist()) == sorted([*parts.FILES, parts.MANIFEST])
    Run.objects.filter(pk=run.pk).update(state=Run.State.PAUSED)
    page = signed_in(dan).get(f"/runs/{run.pk}/bundle/")
    assert page.status_code == 422
    assert b"once the run has ended" in page.content
