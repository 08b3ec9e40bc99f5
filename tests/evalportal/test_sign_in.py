"""Signing in: the right password opens, wrong ones close the door for a while."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evalportal import demo, signing_in, tasks
from evalportal.models import FailedSignIn, Person

PATH = "/sign-in/"


def _try(client: Client, username: str, password: str, **extra: Any) -> Any:
    return client.post(PATH, {"username": username, "password": password, **extra})


def test_it_lets_in_with_the_right_password(client: Client, alice: Any) -> None:
    response = _try(client, "alice", "alice-password")
    assert response["Location"] == reverse("home")
    assert client.get("/").status_code == 200


def test_it_refuses_a_wrong_password_and_says_so(client: Client, alice: Any) -> None:
    response = _try(client, "alice", "wrong")
    assert response.status_code == 422
    assert "The user name or the password is wrong." in response.content.decode()


def test_it_goes_where_one_wanted_to_go(client: Client, alice: Any) -> None:
    assert _try(client, "alice", "alice-password", next="/people/")["Location"] == "/people/"


@pytest.mark.parametrize("elsewhere", ["https://example.com/", "//example.com/", "javascript:alert(1)"])
def test_it_never_sends_anyone_elsewhere(client: Client, alice: Any, elsewhere: str) -> None:
    assert _try(client, "alice", "alice-password", next=elsewhere)["Location"] == reverse("home")


def test_it_closes_the_door_after_five_wrong_passwords(client: Client, alice: Any) -> None:
    for _ in range(signing_in.MOST_PER_PAIR):
        _try(client, "alice", "wrong")
    response = _try(client, "alice", "alice-password")
    assert response.status_code == 422
    assert "Too many wrong passwords" in response.content.decode()


def test_it_opens_the_door_again_after_a_while(client: Client, alice: Any) -> None:
    for _ in range(signing_in.MOST_PER_PAIR):
        _try(client, "alice", "wrong")
    with time_machine.travel(timezone.now() + signing_in.WINDOW + timedelta(seconds=1)):
        assert _try(client, "alice", "alice-password").status_code == 302


def test_it_does_not_lock_out_someone_at_another_address(client: Client, alice: Any) -> None:
    for _ in range(signing_in.MOST_PER_PAIR):
        _try(client, "alice", "wrong")
    elsewhere = Client(REMOTE_ADDR="10.1.2.3")
    assert _try(elsewhere, "alice", "alice-password").status_code == 302


def test_it_closes_the_door_to_an_address_that_tries_many_names(client: Client, alice: Any) -> None:
    FailedSignIn.objects.bulk_create(
        FailedSignIn(username=f"name-{number}", address="127.0.0.1")
        for number in range(signing_in.MOST_PER_ADDRESS)
    )
    assert "Too many" in _try(client, "alice", "alice-password").content.decode()


def test_it_forgets_the_failures_of_whoever_gets_in(client: Client, alice: Any) -> None:
    _try(client, "alice", "wrong")
    _try(client, "alice", "alice-password")
    assert not FailedSignIn.objects.exists()


def test_it_refuses_a_deactivated_person(client: Client, alice: Any) -> None:
    type(alice).objects.update(is_active=False)
    assert _try(client, "alice", "alice-password").status_code == 422


def test_it_shows_no_password_outside_the_demo(client: Client, db: None) -> None:
    assert demo.PEOPLE[0].password not in client.get(PATH).content.decode()


def test_it_shows_the_sample_people_in_the_demo(client: Client, db: None, settings: Any) -> None:
    settings.DEMO = True
    page = client.get(PATH).content.decode()
    assert all(person.password in page for person in demo.PEOPLE)


def test_it_accepts_no_password_of_the_demo_elsewhere(client: Client, db: None, settings: Any) -> None:
    alice = demo.PEOPLE[0]
    Person.objects.create_user(alice.username, alice.password, name=alice.name, role=alice.role)
    response = _try(client, alice.username, alice.password)
    assert response.status_code == 422
    assert "The user name or the password is wrong." in response.content.decode()
    settings.DEMO = True
    assert _try(client, alice.username, alice.password).status_code == 302


def test_it_says_how_to_make_the_first_admin_while_there_is_nobody(client: Client, db: None) -> None:
    page = client.get(PATH).content.decode()
    assert ".venv/bin/python manage.py createsuperuser" in page
    assert "docker compose run --rm web python manage.py createsuperuser" in page


def test_it_says_nothing_of_first_admins_to_later_visitors(client: Client, alice: Any) -> None:
    assert "createsuperuser" not in client.get(PATH).content.decode()


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "10.9.9.9", "127.0.0.1"),
        (1, "10.9.9.9", "10.9.9.9"),
        (1, "1.1.1.1, 10.9.9.9", "10.9.9.9"),
        (2, "1.1.1.1, 10.9.9.9, 10.0.0.1", "10.9.9.9"),
        (2, "10.9.9.9", "10.9.9.9"),
        (1, "", "127.0.0.1"),
        (1, "1.2.3.4:5555", "1.2.3.4"),
        (1, "[2001:db8::1]:443", "2001:db8::1"),
        (1, "[2001:db8::1]", "2001:db8::1"),
        (1, "fe80::1%eth0", "fe80::1"),
        (1, "unknown", None),
        (1, "10.9.9.9, unknown", None),
        (1, "' OR 1=1", None),
    ],
)
def test_it_knows_an_address_from_the_proxies_that_it_is_told_of(
    client: Client, db: None, settings: Any, proxies: int, forwarded: str, address: str | None
) -> None:
    settings.PROXIES = proxies
    response = client.post(PATH, {"username": "x", "password": "y"}, headers={"X-Forwarded-For": forwarded})
    assert response.status_code == 422
    assert FailedSignIn.objects.get().address == address


def test_it_closes_no_door_to_all_whose_address_nobody_knows(
    client: Client, alice: Any, settings: Any
) -> None:
    settings.PROXIES = 1
    FailedSignIn.objects.bulk_create(
        FailedSignIn(username=f"name-{number}", address=None) for number in range(signing_in.MOST_PER_ADDRESS)
    )
    right = {"username": "alice", "password": "alice-password"}
    assert client.post(PATH, right, headers={"X-Forwarded-For": "unknown"}).status_code == 302


def test_it_closes_an_account_that_is_tried_from_many_addresses(client: Client, alice: Any) -> None:
    FailedSignIn.objects.bulk_create(
        FailedSignIn(username="alice", address=f"10.0.0.{number}")
        for number in range(signing_in.MOST_PER_USERNAME)
    )
    assert "Too many" in _try(client, "alice", "alice-password").content.decode()


@pytest.mark.parametrize("username", ["\x00", "a" * 5000, "', DROP TABLE", "日本\u202e"])
def test_it_survives_strange_names(client: Client, db: None, username: str) -> None:
    assert _try(client, username, "x").status_code == 422


def test_it_signs_out_by_post_only(client: Client, alice: Any) -> None:
    client.force_login(alice)
    assert client.get("/sign-out/").status_code == 405
    client.post("/sign-out/")
    assert client.get("/").status_code == 302


def test_it_forgets_sessions_that_are_over(client: Client, alice: Any, bob: Any) -> None:
    client.force_login(alice)
    with time_machine.travel(timezone.now() + timedelta(days=15)):
        Client().force_login(bob)
        tasks.sweep_jobs()
        assert [one.get_decoded()["_auth_user_id"] for one in Session.objects.all()] == [str(bob.pk)]
