"""The list of cases: filtered, searched, paged; and one case."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

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
        ("benchmark=%00", ["B7-001", "B7-002", "B8-003"]),
        ("q=turb", ["B8-003"]),
        ("q=controlle", ["B8-003"]),
        ("q=dormant controlle", ["B8-003"]),
        ("q=successor and a pl", ["B8-003"]),
        ("q=turb -dormant", []),
        ("q=turbine -dorm", ["B8-003"]),
        ("q=%22access ri", []),
        ("q=' %5C %26 | ! ( %3A*", []),
        ("q=" + 5000 * "x", []),
    ],
)
def test_it_narrows_the_list(client_of_bob: Client, dataset: Import, query: str, keys: list[str]) -> None:
    turbine = ccop_row(
        3, 8, expected_response="The turbine's dormant controllers need a successor and a plan."
    )
    dataset(ccop_row(1), ccop_row(2), turbine)
    assert _keys(client_of_bob, query) == keys
    assert client_of_bob.get(f"/cases/?{query}").context["count"] == len(keys)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("nr-", ["Nr-En-01", "Nr-En-02"]),
        ("NR-EN-02", ["Nr-En-02"]),
        ("ransom", ["Nr-En-01"]),
        ("applicab", ["Nr-En-02"]),
        ("5.1", ["Nr-En-02"]),
        ("勒索软件", ["中文-1"]),
        ("感染 医院", ["中文-1"]),
        ("院", ["中文-1"]),
        ("防火墙", []),
        ("中文", ["中文-1"]),
    ],
)
def test_it_finds_ids_in_any_case_and_what_is_typed_halfway(
    client_of_bob: Client, dataset: Import, text: str, keys: list[str]
) -> None:
    questions = {
        "Nr-En-01": "Which ransomware struck?",
        "Nr-En-02": "What does clause 5.1.3 say on applicability?",
        "中文-1": "哪一种勒索软件感染了医院?",
    }
    rows = [{"id": key, "question": question} for key, question in questions.items()]
    dataset(*rows, suite="cybersec")
    assert _keys(client_of_bob, urlencode({"q": text})) == keys


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


@pytest.mark.parametrize(
    "query",
    [
        "after=x",
        "before=-1",
        "after=99999999999999999999",
        "before=999999999999999999&sort=-id",
        "version=0x1",
        "version=%00",
        "sort=%00",
        "sort=--id",
        "dataset=%00",
        "difficulty=%00Low",
    ],
)
def test_it_survives_strange_places(client_of_bob: Client, dataset: Import, query: str) -> None:
    dataset(ccop_row(1))
    assert client_of_bob.get(f"/cases/?{query}").status_code == 200


@pytest.mark.parametrize("query", ["dataset=nosuch", "dataset=gaps&version=2", "version=999999999"])
def test_it_says_that_there_is_no_such_version(client_of_bob: Client, dataset: Import, query: str) -> None:
    dataset(ccop_row(1))
    assert client_of_bob.get(f"/cases/?{query}").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/datasets/gaps/2/?after=%00",
        "/datasets/?show=%00",
        "/runs/?after=%00",
        "/runs/?before=-1",
        "/runs/?after=999999999999999999",
        "/models/?after=%00",
        "/uploads/new/?dataset=%00&suite=%00",
        "/benchmarks/?after=%00",
    ],
)
def test_it_takes_strange_addresses_of_other_lists(
    alice: Any, signed_in: SignedIn, dataset: Import, path: str
) -> None:
    dataset(ccop_row(1))
    dataset(ccop_row(2))
    assert signed_in(alice).get(path).status_code == 200


def test_it_orders_the_list_as_the_address_says(client_of_bob: Client, dataset: Import) -> None:
    dataset(ccop_row(2, 10), ccop_row(4, 3), ccop_row(3, 9), ccop_row(1, 10))
    assert _keys(client_of_bob, "") == ["B10-002", "B3-004", "B9-003", "B10-001"]
    assert _keys(client_of_bob, "sort=id") == ["B3-004", "B9-003", "B10-001", "B10-002"]
    assert _keys(client_of_bob, "sort=-id") == ["B10-002", "B10-001", "B9-003", "B3-004"]
    assert _keys(client_of_bob, "sort=benchmark") == ["B3-004", "B9-003", "B10-002", "B10-001"]
    assert _keys(client_of_bob, "sort=difficulty") == ["B3-004", "B10-001", "B10-002", "B9-003"]
    assert _keys(client_of_bob, "sort=-difficulty&benchmark=B10") == ["B10-002", "B10-001"]
    assert _keys(client_of_bob, "sort=nonsense") == _keys(client_of_bob, "")


@pytest.mark.parametrize("sort", ["id", "-id", "-difficulty"])
def test_it_pages_in_any_order(client_of_bob: Client, dataset: Import, sort: str) -> None:
    dataset(*(ccop_row(number) for number in range(120, 0, -1)))
    first = client_of_bob.get(f"/cases/?sort={sort}").context["page"]
    second = client_of_bob.get(f"/cases/?sort={sort}&after={first.after}").context["page"]
    third = client_of_bob.get(f"/cases/?sort={sort}&after={second.after}").context["page"]
    back = client_of_bob.get(f"/cases/?sort={sort}&before={third.before}").context["page"]
    listed = [case.key for page in (first, second, third) for case in page.rows]
    assert (len(set(listed)), first.before, third.after) == (120, None, None)
    assert [case.key for case in back.rows] == [case.key for case in second.rows]
    assert sort == "-difficulty" or listed == sorted(listed, reverse=sort == "-id")


def test_it_stays_in_the_version_and_the_order_while_somebody_searches(
    client_of_bob: Client, dataset: Import
) -> None:
    dataset(ccop_row(1))
    dataset(ccop_row(2))
    page = client_of_bob.get("/cases/?dataset=gaps&version=1&sort=-id").content.decode()
    assert '<option value="1" selected>1</option>' in page
    assert '<option value="">2 (latest)</option>' in page
    assert '<input type="hidden" name="sort" value="-id">' in page
    assert '<input type="hidden" name="dataset" value="gaps">' in page


def test_it_brings_the_filters_of_the_version_with_the_list(client_of_bob: Client, dataset: Import) -> None:
    dataset(ccop_row(1))
    dataset(ccop_row(1, 8))
    headers = {"HX-Request": "true", "HX-Target": "case-list"}
    page = client_of_bob.get("/cases/?version=1&benchmark=B8", headers=headers).content.decode()
    assert 'id="case-filters" class="filters" hx-swap-oob="true"' in page
    assert '<option value="B7">' in page
    assert '<option value="B8" selected>B8 (0)</option>' in page


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
    with django_assert_num_queries(7):
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
