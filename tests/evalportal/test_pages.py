"""What holds for every page: headers, health, themes, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client

from evalportal.celery import app

SignedIn = Callable[[Any], Client]


def test_it_allows_no_inline_script_or_style(client: Client, db: None) -> None:
    policy = client.get("/sign-in/")["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy


def test_it_sends_the_policy_with_errors_too(client: Client, alice: Any) -> None:
    client.force_login(alice)
    response = client.get("/nothing-here/")
    assert response.status_code == 404
    assert "default-src 'none'" in response["Content-Security-Policy"]


def test_it_answers_that_it_is_alive(client: Client) -> None:
    assert client.get("/healthz").content == b"ok\n"


@pytest.mark.django_db
def test_it_answers_that_it_is_ready(client: Client) -> None:
    assert client.get("/readyz").status_code == 200


def test_it_says_when_the_database_is_gone(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OperationalError

    monkeypatch.setattr(connection, "cursor", fail)
    assert client.get("/readyz").status_code == 503


@pytest.mark.parametrize(
    ("broker", "words"),
    [
        ("redis://127.0.0.1:1/0", "degraded: the broker does not answer, so runs wait\n"),
        ("memory://", "ok\n"),
    ],
)
def test_it_is_ready_without_a_broker_but_says_so(client: Client, db: None, broker: str, words: str) -> None:
    bell = app.conf.broker_url
    app.conf.update(broker_url=broker)
    response = client.get("/readyz")
    app.conf.update(broker_url=bell)
    assert (response.status_code, response.content.decode()) == (200, words)


@pytest.mark.parametrize("theme", ["light", "dark", "system"])
def test_it_remembers_a_theme(client: Client, db: None, theme: str) -> None:
    client.post("/theme/", {"theme": theme, "next": "/sign-in/"})
    assert f'data-theme="{theme}"' in client.get("/sign-in/").content.decode()


def test_it_ignores_a_theme_that_does_not_exist(client: Client, db: None) -> None:
    client.post("/theme/", {"theme": '"><script>'})
    assert 'data-theme="system"' in client.get("/sign-in/").content.decode()


def test_it_says_whom_a_page_is_for(bob: Any, signed_in: SignedIn) -> None:
    response = signed_in(bob).get("/people/")
    assert response.status_code == 403
    assert "This page is for the role admin." in response.content.decode()


def test_it_shows_a_plain_page_when_something_breaks(alice: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from scoring.models import Dataset

    def fail() -> None:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(Dataset.objects, "with_latest", fail)
    client = Client(raise_request_exception=False)
    client.force_login(alice)
    response = client.get("/")
    assert response.status_code == 500
    assert "What you had saved is safe" in response.content.decode()
    assert "broken on purpose" not in response.content.decode()


@pytest.mark.parametrize("person", ["alice", "bob", "dan"])
def test_it_greets_each_role_at_home(
    person: str, request: pytest.FixtureRequest, signed_in: SignedIn
) -> None:
    page = signed_in(request.getfixturevalue(person)).get("/").content.decode()
    assert f"Good to see you, {person.title()}" in page
    assert ("Upload cases" in page) == (person == "alice")


def test_it_gives_figures_to_those_who_bring_the_token(client: Client, db: None, settings: Any) -> None:
    assert client.get("/metrics").status_code == 401
    settings.METRICS_TOKEN = "a-long-token"
    assert client.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 401
    figures = client.get("/metrics", headers={"Authorization": "Bearer a-long-token"}).content.decode()
    assert 'evalportal_queue_listening{queue="inference"} 0' in figures


def test_it_gives_figures_to_admins_only(alice: Any, bob: Any, signed_in: SignedIn) -> None:
    assert signed_in(alice).get("/metrics").status_code == 200
    assert signed_in(bob).get("/metrics").status_code == 401
