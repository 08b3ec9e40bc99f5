"""People: invited by a link that works once, changed, deactivated, and never without an admin."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from evalportal import people
from evalportal.models import Person

SignedIn = Callable[[Any], Client]
EVE = {"name": "Eve", "username": "eve", "email": "", "role": "reviewer"}
PASSWORD = {"new_password1": "a-long-pass-phrase", "new_password2": "a-long-pass-phrase"}


def test_it_invites_someone_by_a_link(alice: Any, signed_in: SignedIn) -> None:
    response = signed_in(alice).post("/people/invite/", EVE, follow=True)
    assert people.invitation_path(Person.objects.get(username="eve")) in response.content.decode()


def test_it_lets_the_invited_choose_a_password_once(client: Client, alice: Any) -> None:
    path = people.invitation_path(people.invite(**EVE))
    assert client.post(path, PASSWORD)["Location"] == "/"
    assert Person.objects.get(username="eve").check_password("a-long-pass-phrase")
    assert Client().get(path).status_code == 410


def test_it_refuses_an_expired_invitation(client: Client, alice: Any) -> None:
    path = people.invitation_path(people.invite(**EVE))
    with time_machine.travel(timezone.now() + timedelta(days=8)):
        assert client.get(path).status_code == 410


@pytest.mark.parametrize(
    "path", ["/welcome/MQ/x-y/", "/welcome/%00/x/", "/welcome/!!!/x/", "/welcome/OTk5/abc/"]
)
def test_it_refuses_made_up_invitations(client: Client, db: None, path: str) -> None:
    assert client.get(path).status_code == 410


def test_it_asks_for_a_better_password(client: Client, alice: Any) -> None:
    path = people.invitation_path(people.invite(**EVE))
    response = client.post(path, {"new_password1": "12345678", "new_password2": "12345678"})
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
    people.change(bob, role="admin", is_active=True)
    people.change(alice, role="manager", is_active=True)
    assert alice.role == "manager"


def test_it_escapes_names(alice: Any, signed_in: SignedIn) -> None:
    people.invite(username="x", name="<script>alert(1)</script>", role="manager")
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
