"""The people of the demo: their passwords are shown on its sign-in page, and open no other portal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from evalportal.roles import Role


class SamplePerson(NamedTuple):
    """Someone to sign in as."""

    username: str
    name: str
    role: Role
    password: str


PEOPLE = (
    SamplePerson("alice", "Alice Tan", Role.ADMIN, "alice-demo-7391"),
    SamplePerson("bob", "Bob Lim", Role.REVIEWER, "bob-demo-4826"),
    SamplePerson("carol", "Carol Nair", Role.REVIEWER, "carol-demo-5157"),
    SamplePerson("dan", "Dan Goh", Role.MANAGER, "dan-demo-6048"),
)
PASSWORDS = frozenset(person.password for person in PEOPLE)


def is_for(usernames: Iterable[str]) -> bool:
    """Say whether a database with these people is a demo's: its own are all there, or nobody else is."""
    found, own = set(usernames), {person.username for person in PEOPLE}
    return found >= own or found <= own
