"""Names and roles go in, people who can sign in come out; at least one admin always remains."""

from __future__ import annotations

from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode

from evalportal.models import Person
from evalportal.roles import Role
from reviews import events
from reviews.events import Verb


class LastAdminError(Exception):
    """Without this person nobody could invite people any more."""

    def __init__(self) -> None:
        super().__init__("This is the only active admin. Make someone else an admin first.")


@transaction.atomic
def invite(*, username: str, name: str, role: str, by: Person | None, email: str = "") -> Person:
    """Add a person who has yet to choose a password."""
    person = Person.objects.create_user(username, name=name, role=role, email=email)
    events.record(Verb.INVITED, by, after={"person": username, "role": role})
    return person


@transaction.atomic
def show_link(person: Person, by: Person | None) -> str:
    """Make an invitation's path, and write down for whom: whoever has it can sign in as that person."""
    events.record(Verb.LINK_SHOWN, by, after={"person": person.username})
    return invitation_path(person)


def invitation_path(person: Person) -> str:
    """Make the path under which a person chooses a password: once, within the invitation's days."""
    where = urlsafe_base64_encode(force_bytes(person.pk))
    return reverse("welcome", args=[where, default_token_generator.make_token(person)])


def invited(where: str, token: str) -> Person | None:
    """Find whom an invitation is for; None if it is used, expired or made up."""
    try:
        person = Person.objects.get(pk=urlsafe_base64_decode(where).decode(), is_active=True)
    except (ValueError, Person.DoesNotExist):
        return None
    return person if default_token_generator.check_token(person, token) else None


@transaction.atomic
def change(person: Person, *, role: str, is_active: bool, by: Person | None) -> None:
    """Give a person another role, or close or reopen the door."""
    admins = Person.objects.select_for_update().filter(role=Role.ADMIN, is_active=True)
    stays_admin = role == Role.ADMIN and is_active
    if not stays_admin and {admin.pk for admin in admins} == {person.pk}:
        raise LastAdminError
    before = Person.objects.select_for_update().get(pk=person.pk)
    Person.objects.filter(pk=person.pk).update(role=role, is_active=is_active)
    person.refresh_from_db()
    _record(before, person, by)


def _record(before: Person, after: Person, by: Person | None) -> None:
    who = {"person": after.username}
    if before.role != after.role:
        events.record(
            Verb.ROLE_CHANGED, by, before=who | {"role": before.role}, after=who | {"role": after.role}
        )
    if before.is_active != after.is_active:
        events.record(Verb.REACTIVATED if after.is_active else Verb.DEACTIVATED, by, after=who)
