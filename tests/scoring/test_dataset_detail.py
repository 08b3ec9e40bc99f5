"""Datasets: their pages whatever they are called, retired and brought back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from scoring import cases, datasets
from scoring.engine import locks
from scoring.forms.runs import RunForm
from scoring.models import Dataset, Version
from scoring.uploads import Source
from tests.scoring.conftest import ccop_row
from tests.uploads.rows import lines

SignedIn = Callable[[Any], Client]
Import = Callable[..., Version]


@pytest.mark.parametrize("name", ["upload", "uploads", "new", "retire", "export", "1"])
def test_it_is_found_whatever_it_is_called(dan: Any, signed_in: SignedIn, dataset: Import, name: str) -> None:
    version = dataset(ccop_row(1), name=name)
    client = signed_in(dan)

    assert client.get(version.dataset.get_absolute_url()).context["dataset"] == version.dataset
    assert client.get(version.get_absolute_url()).context["version"] == version


def test_it_shows_where_uploads_belong(alice: Any, signed_in: SignedIn) -> None:
    places = signed_in(alice).get("/uploads/new/").context["places"]

    assert [place["label"] for place in places if place["here"]] == ["Datasets"]


def _retired(person: Any, name: str) -> None:
    datasets.retire(Dataset.objects.get(name=name), person)


def test_it_sets_its_ids_free_when_it_is_retired(alice: Any, signed_in: SignedIn, dataset: Import) -> None:
    dataset(ccop_row(1), name="gpas")
    source = Source("b7.jsonl", [lines(ccop_row(1))])
    (problem,) = cases.add([source], dataset="gaps", suite="ccop").problems.kept
    assert "if gpas is a mistake, let an admin retire it on its page" in problem.reason

    page = signed_in(alice).post("/datasets/gpas/retire/", follow=True).content.decode()

    assert "gpas is retired: its ids are free" in page
    assert "by Alice" in page
    assert dataset(ccop_row(1), name="gaps").number == 1


def test_it_keeps_what_a_retired_dataset_holds(
    alice: Any, dan: Any, signed_in: SignedIn, dataset: Import
) -> None:
    version = dataset(ccop_row(1), name="gpas")
    _retired(alice, "gpas")
    client = signed_in(dan)

    assert client.get(version.get_absolute_url()).status_code == 200
    assert b"".join(client.get("/datasets/gpas/1/export/").streaming_content)  # type: ignore[attr-defined]
    listed = client.get("/cases/?dataset=gpas")
    assert [case.key for case in listed.context["page"].rows] == ["B7-001"]
    assert "<option selected>gpas</option>" in listed.content.decode()


def test_it_is_offered_nowhere_once_it_is_retired(alice: Any, signed_in: SignedIn, dataset: Import) -> None:
    version = dataset(ccop_row(1), name="gpas")
    dataset(ccop_row(1, benchmark=8), name="gaps")
    _retired(alice, "gpas")
    client = signed_in(alice)

    for path in ("/", "/datasets/", "/cases/", "/uploads/new/"):
        page = client.get(path).content.decode()
        assert "gaps" in page, path
        assert "gpas" not in page, path
    assert "gpas" in client.get("/datasets/?show=retired").content.decode()
    assert "version" in RunForm({"version": version.pk}).errors


def test_it_takes_no_cases_while_it_is_retired(alice: Any, signed_in: SignedIn, dataset: Import) -> None:
    dataset(ccop_row(1), name="gpas")
    _retired(alice, "gpas")

    with pytest.raises(cases.RetiredError, match="gpas is retired: choose another name"):
        cases.add([Source("b7.jsonl", [lines(ccop_row(2))])], dataset="gpas", suite="ccop")
    form = {"files": [], "suite": "ccop", "dataset_name": "gpas"}
    page = signed_in(alice).post("/uploads/new/", form)
    assert "gpas is retired: choose another name" in page.content.decode()


def test_it_comes_back_when_its_ids_are_free(alice: Any, signed_in: SignedIn, dataset: Import) -> None:
    dataset(ccop_row(1), ccop_row(2), name="gpas")
    _retired(alice, "gpas")
    dataset(ccop_row(1), ccop_row(2), name="gaps")
    client = signed_in(alice)

    page = client.post("/datasets/gpas/bring-back/", follow=True).content.decode()
    assert "gpas cannot come back: B7-001 belongs to the dataset gaps, and 1 more of its ids" in page
    assert Dataset.objects.get(name="gpas").retired_at

    _retired(alice, "gaps")
    page = client.post("/datasets/gpas/bring-back/", follow=True).content.decode()
    assert "gpas is back in use." in page
    assert list(Dataset.objects.in_use().values_list("name", flat=True)) == ["gpas"]


@pytest.mark.django_db(transaction=True)
def test_it_is_not_retired_while_cases_go_into_it(alice: Any, signed_in: SignedIn, dataset: Import) -> None:
    dataset(ccop_row(1), name="gpas")
    with locks.session("a test") as other:
        other.execute("SELECT pg_advisory_lock(hashtextextended('dataset gpas', 0))")
        page = signed_in(alice).post("/datasets/gpas/retire/", follow=True).content.decode()

    assert "Wait for another upload of this dataset" in page
    assert Dataset.objects.in_use().exists()
    _retired(alice, "gpas")
    assert not Dataset.objects.in_use().exists()


def test_it_lists_datasets_in_as_many_queries_as_ever(
    dan: Any, signed_in: SignedIn, dataset: Import, django_assert_num_queries: Any
) -> None:
    client = signed_in(dan)
    for number in range(1, 8):
        dataset(ccop_row(number), name=f"gaps-{number}")
    with django_assert_num_queries(4):
        client.get("/datasets/")
