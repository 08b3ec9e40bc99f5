"""The people of the demo: their passwords are shown on its sign-in page, and nowhere else."""

from __future__ import annotations

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
