"""One case, with what every run answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from scoring.models import Case, Endpoint, Response, Run, Score, Scoring, Version
from tests.scoring.conftest import ccop_row

SignedIn = Callable[[Any], Client]
Import = Callable[..., Version]


@pytest.fixture
def version(dataset: Import) -> Version:
    return dataset(ccop_row(1), ccop_row(2))


def _run(version: Version, name: str, state: str = "final", overall: float | None = 0.64, **more: Any) -> Run:
    """Make a run that answered the first case, scored it twice, and failed at the second."""
    endpoint, _ = Endpoint.objects.get_or_create(name=f"model of {name}", gateway="echo", model="echo")
    run = Run.objects.create(name=name, version=version, endpoint=endpoint, state=state, **more)
    for place, case in enumerate(version.cases.order_by("key")):
        answer = {"state": "failed", "error": "Timed out."} if place else {"state": "done", "content": "Yes."}
        made = Response.objects.create(run=run, case=case, position=place, noise=20 * place, **answer)
        for number, score in ((1, 0.11), (2, overall)):
            scoring, _ = Scoring.objects.get_or_create(run=run, number=number)
            Score.objects.create(scoring=scoring, response=made, overall=score, values={}, details={})
    return run


def _page(client: Client, key: str = "B7-001", query: str = "") -> str:
    return client.get(f"{Case.objects.get(key=key).get_absolute_url()}{query}").content.decode()


def test_it_lists_the_answers_of_every_run_newest_first(
    dan: Any, signed_in: SignedIn, version: Version
) -> None:
    _run(version, "first run")
    second = _run(version, "second run", state="running")
    page = _page(signed_in(dan))

    assert page.index("second run") < page.index("first run")
    assert f'href="{second.responses.get(position=0).get_absolute_url()}"' in page
    assert "model of first run" in page
    assert ">0.64<" in page
    assert "0.11" not in page


def test_it_says_how_noisy_the_documents_were_and_why_an_answer_is_not_there(
    dan: Any, signed_in: SignedIn, version: Version
) -> None:
    _run(version, "first run")
    page = _page(signed_in(dan), "B7-002")

    assert "noise 20 %" in page
    assert "Timed out." in page


def test_it_shows_reviewers_only_what_the_answers_page_shows_them(
    bob: Any, signed_in: SignedIn, version: Version
) -> None:
    client = signed_in(bob)
    hidden = _run(version, "hidden run", state="awaiting_review")
    page = _page(client)
    assert "hidden run" not in page
    assert "once a run is final" in page
    assert client.get(hidden.responses.get(position=0).get_absolute_url()).status_code == 403

    shown = _run(version, "shown run")
    assert "shown run" in _page(client)
    assert client.get(shown.responses.get(position=0).get_absolute_url()).status_code == 200


def test_it_pages_through_answers(dan: Any, signed_in: SignedIn, version: Version) -> None:
    run = _run(version, "many samples", samples=50)
    case = Case.objects.get(key="B7-001")
    for sample in range(2, 121):
        place = 10 + sample
        Response.objects.create(
            run=run, case=case, position=place, sample=sample, state="done", content="Yes."
        )
    client = signed_in(dan)
    first = client.get(case.get_absolute_url()).context["page"]
    second = client.get(f"{case.get_absolute_url()}?after={first.after}").context["page"]
    third = client.get(f"{case.get_absolute_url()}?after={second.after}").context["page"]

    listed = [answer.sample for page in (first, second, third) for answer in page.rows]
    assert listed == list(range(120, 0, -1))
    assert "sample 120" in _page(client, query="?after=nonsense%00")


def test_it_takes_as_many_queries_as_ever(
    dan: Any, signed_in: SignedIn, version: Version, django_assert_num_queries: Any
) -> None:
    client = signed_in(dan)
    case = Case.objects.get(key="B7-001")
    for number in range(8):
        _run(version, f"run {number}")
    with django_assert_num_queries(7):
        client.get(case.get_absolute_url())
