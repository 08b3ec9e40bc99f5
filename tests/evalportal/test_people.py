"""People: invited by a link that works once, changed, deactivated, and never without an admin."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from evalportal import people
from evalportal.models import Person
from evalportal.views.doors import IN_SESSION
from reviews.models import Event

SignedIn = Callable[[Any], Client]
EVE = {"name": "Eve", "username": "eve", "email": "", "role": "reviewer"}
PASSWORD = {"new_password1": "a-long-pass-phrase", "new_password2": "a-long-pass-phrase"}


def test_it_invites_someone_by_a_link(alice: Any, signed_in: SignedIn) -> None:
    response = signed_in(alice).post("/people/invite/", EVE, follow=True)
    link = re.search(r"/welcome/[\w-]+/[\w-]+/", response.content.decode())
    assert link
    assert "Welcome, Eve" in Client().get(link.group(), follow=True).content.decode()


def test_it_lets_the_invited_choose_a_password_once(client: Client, alice: Any) -> None:
    path = people.invitation_path(people.invite(**EVE, by=alice))
    assert client.post(client.get(path)["Location"], PASSWORD)["Location"] == "/"
    assert Person.objects.get(username="eve").check_password("a-long-pass-phrase")
    assert Client().get(path).status_code == 410


def test_it_keeps_the_token_out_of_the_address_that_the_form_is_at(client: Client, alice: Any) -> None:
    path = people.invitation_path(people.invite(**EVE, by=alice))
    token = path.split("/")[3]
    form = client.get(path, follow=True)
    assert form.status_code == 200
    assert token not in form.redirect_chain[-1][0] + form.content.decode()


def test_it_takes_a_token_to_the_person_it_is_for_alone(client: Client, alice: Any, bob: Any) -> None:
    client.get(people.invitation_path(people.invite(**EVE, by=alice)))
    elsewhere = people.invitation_path(bob).replace(people.invitation_path(bob).split("/")[3], IN_SESSION)
    assert client.get(elsewhere).status_code == 410


def test_it_refuses_an_expired_invitation(client: Client, alice: Any) -> None:
    path = people.invitation_path(people.invite(**EVE, by=alice))
    with time_machine.travel(timezone.now() + timedelta(days=8)):
        assert client.get(path).status_code == 410


@pytest.mark.parametrize(
    "path",
    [
        "/welcome/MQ/x-y/",
        "/welcome/%00/x/",
        "/welcome/!!!/x/",
        "/welcome/OTk5/abc/",
        "/welcome/MQ/choose-a-password/",
    ],
)
def test_it_refuses_made_up_invitations(client: Client, db: None, path: str) -> None:
    assert client.get(path).status_code == 410


def test_it_asks_for_a_better_password(client: Client, alice: Any) -> None:
    path = people.invitation_path(people.invite(**EVE, by=alice))
    chosen = {"new_password1": "12345678", "new_password2": "12345678"}
    response = client.post(client.get(path)["Location"], chosen)
    assert response.status_code == 422
    assert "too common" in response.content.decode()


def test_it_refuses_a_user_name_that_is_taken(alice: Any, signed_in: SignedIn) -> None:
    response = signed_in(alice).post("/people/invite/", EVE | {"username": "alice"})
    assert response.status_code == 422
    assert "Someone already has this user name." in response.content.decode()


def test_it_changes_a_role(alice: Any, bob: Any, signed_in: SignedIn) -> None:
    signed_in(alice).post(f"/people/{bob.pk}/", {"role": "manager", "is_active": "on"})
    bob.refresh_from_db()
    assert bob.role == "manager"


def test_it_signs_out_whoever_is_deactivated_at_once(alice: Any, bob: Any, signed_in: SignedIn) -> None:
    as_bob = signed_in(bob)
    assert as_bob.get("/").status_code == 200
    signed_in(alice).post(f"/people/{bob.pk}/", {"role": "reviewer"})
    assert as_bob.get("/").status_code == 302


def test_it_keeps_the_last_admin(alice: Any, signed_in: SignedIn) -> None:
    response = signed_in(alice).post(f"/people/{alice.pk}/", {"role": "manager", "is_active": "on"})
    assert response.status_code == 422
    assert "only active admin" in response.content.decode()


def test_it_lets_an_admin_go_where_another_stays(alice: Any, bob: Any) -> None:
    people.change(bob, role="admin", is_active=True, by=alice)
    people.change(alice, role="manager", is_active=True, by=bob)
    assert alice.role == "manager"


def test_it_escapes_names(alice: Any, signed_in: SignedIn) -> None:
    people.invite(username="x", name="<script>alert(1)</script>", role="manager", by=alice)
    page = signed_in(alice).get("/people/").content.decode()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_it_changes_ones_own_password_and_stays_signed_in(bob: Any, signed_in: SignedIn) -> None:
    client = signed_in(bob)
    response = client.post("/account/", {"old_password": "bob-password", **PASSWORD})
    assert response.status_code == 302
    assert client.get("/account/").status_code == 200


def test_it_lists_people_in_few_queries(
    alice: Any, bob: Any, carol: Any, dan: Any, signed_in: SignedIn, django_assert_num_queries: Any
) -> None:
    client = signed_in(alice)
    with django_assert_num_queries(3):
        client.get("/people/")


def _record() -> list[tuple[Any, ...]]:
    return list(Event.objects.values_list("verb", "who__username", "before", "after"))


def test_it_records_who_invited_whom_and_who_saw_the_link(alice: Any, signed_in: SignedIn) -> None:
    signed_in(alice).post("/people/invite/", EVE, follow=True)
    assert _record() == [
        ("invited", "alice", None, {"person": "eve", "role": "reviewer"}),
        ("invitation link shown", "alice", None, {"person": "eve"}),
    ]


def test_it_records_a_new_role_and_a_closed_and_reopened_door(
    alice: Any, bob: Any, signed_in: SignedIn
) -> None:
    client = signed_in(alice)
    for change in ({"role": "manager"}, {"role": "manager"}, {"role": "manager", "is_active": "on"}):
        client.post(f"/people/{bob.pk}/", change)
    assert _record() == [
        (
            "role changed",
            "alice",
            {"person": "bob", "role": "reviewer"},
            {"person": "bob", "role": "manager"},
        ),
        ("deactivated", "alice", None, {"person": "bob"}),
        ("reactivated", "alice", None, {"person": "bob"}),
    ]


def test_it_records_nothing_that_was_refused(alice: Any, signed_in: SignedIn) -> None:
    signed_in(alice).post(f"/people/{alice.pk}/", {"role": "manager", "is_active": "on"})
    assert _record() == []
