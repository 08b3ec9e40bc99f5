"""The list of cases: filtered, searched, paged; and one case."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from scoring.models import Case, Version
from scoring.views import cases
from tests.scoring.conftest import ccop_row

SignedIn = Callable[[Any], Client]
Import = Callable[..., Version]


def _keys(client: Client, query: str) -> list[str]:
    return [case.key for case in client.get(f"/cases/?{query}").context["page"].rows]


@pytest.fixture
def client_of_bob(bob: Any, signed_in: SignedIn) -> Client:
    return signed_in(bob)


def test_it_says_that_there_is_no_case_yet(client_of_bob: Client) -> None:
    assert "No case yet" in client_of_bob.get("/cases/").content.decode()


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("", ["B7-001", "B7-002", "B8-003"]),
        ("benchmark=B8", ["B8-003"]),
        ("difficulty=High", ["B7-002"]),
        ("domain=OT", ["B7-001"]),
        ("domain=IT/OT&benchmark=B7", ["B7-002"]),
        ("category=Gap analysis", ["B7-001", "B7-002", "B8-003"]),
        ("q=B7-0", ["B7-001", "B7-002"]),
        ("q=b8", ["B8-003"]),
        ("q=turbines", ["B8-003"]),
        ("q=turbine+-dormant", []),
        ("q=%22access rights%22", ["B7-001", "B7-002"]),
        ("q=nothing-like-it", []),
        ("q=%00", ["B7-001", "B7-002", "B8-003"]),
        ("benchmark=B99", []),
    ],
)
def test_it_narrows_the_list(client_of_bob: Client, dataset: Import, query: str, keys: list[str]) -> None:
    turbine = ccop_row(
        3, 8, expected_response="The turbine's dormant controllers need a successor and a plan."
    )
    dataset(ccop_row(1), ccop_row(2), turbine)
    assert _keys(client_of_bob, query) == keys
    assert client_of_bob.get(f"/cases/?{query}").context["count"] == len(keys)


def test_it_does_not_count_all_that_a_common_word_finds(
    client_of_bob: Client, dataset: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cases, "MOST_COUNTED", 2)
    dataset(ccop_row(1), ccop_row(2), ccop_row(3))
    assert "More than 2 cases" in client_of_bob.get("/cases/?q=access").content.decode()
    assert "3 cases" in client_of_bob.get("/cases/?benchmark=B7").content.decode()


def test_it_pages_forth_and_back(client_of_bob: Client, dataset: Import) -> None:
    dataset(*(ccop_row(number) for number in range(1, 121)))
    first = client_of_bob.get("/cases/").context["page"]
    second = client_of_bob.get(f"/cases/?after={first.after}").context["page"]
    third = client_of_bob.get(f"/cases/?after={second.after}").context["page"]
    back = client_of_bob.get(f"/cases/?before={third.before}").context["page"]
    assert [case.key for case in back.rows] == [case.key for case in second.rows]
    assert (len(third.rows), third.after, first.before) == (20, None, None)


@pytest.mark.parametrize("query", ["after=x", "before=-1", "after=99999999999999999999", "version=0x1"])
def test_it_survives_strange_places(client_of_bob: Client, dataset: Import, query: str) -> None:
    dataset(ccop_row(1))
    assert client_of_bob.get(f"/cases/?{query}").status_code == 200


def test_it_shows_the_cases_of_an_older_version(client_of_bob: Client, dataset: Import) -> None:
    dataset(ccop_row(1))
    dataset(ccop_row(2))
    assert _keys(client_of_bob, "dataset=gaps&version=1") == ["B7-001"]
    assert _keys(client_of_bob, "dataset=gaps") == ["B7-002"]


def test_it_gives_htmx_only_the_list(client_of_bob: Client, dataset: Import) -> None:
    dataset(ccop_row(1))
    page = client_of_bob.get(
        "/cases/", headers={"HX-Request": "true", "HX-Target": "case-list"}
    ).content.decode()
    assert "<html" not in page
    assert 'id="case-list"' in page


def test_it_lists_cases_in_as_many_queries_as_ever(
    client_of_bob: Client, dataset: Import, django_assert_num_queries: Any
) -> None:
    dataset(*(ccop_row(number) for number in range(1, 61)))
    with django_assert_num_queries(6):
        client_of_bob.get("/cases/")


def test_it_shows_a_case_whole_and_escaped(client_of_bob: Client, dataset: Import) -> None:
    dataset(ccop_row(1, forbidden_claims=["<script>alert(1)</script> is required"]))
    case = Case.objects.get()
    page = client_of_bob.get(case.get_absolute_url()).content.decode()
    assert "rights reviewed every year" in page
    assert "<script>alert(1)" not in page


def test_it_exports_a_version_as_it_came_in(client_of_bob: Client, dataset: Import) -> None:
    rows = [ccop_row(2), ccop_row(1)]
    dataset(*rows)
    response = client_of_bob.get("/datasets/gaps/1/export/")
    lines = b"".join(response.streaming_content).splitlines()  # type: ignore[attr-defined]
    assert [json.loads(line) for line in lines] == rows
