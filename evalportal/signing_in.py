"""A user name and a password go in, a person comes out; too many wrong ones close the door for a while."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.contrib.auth import authenticate
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from evalportal.models import FailedSignIn, Person

WINDOW = timedelta(minutes=15)
# The pair is tight, so that guessing is hopeless; the others are wide, so that nobody locks others out.
MOST_PER_PAIR, MOST_PER_ADDRESS, MOST_PER_USERNAME = 5, 40, 100


class TooManyAttemptsError(Exception):
    """The door is closed; `minutes` says for how long at most."""

    def __init__(self) -> None:
        self.minutes = int(WINDOW.total_seconds() // 60)
        super().__init__(f"Too many wrong passwords. Wait {self.minutes} minutes and try again.")


def check(request: HttpRequest, username: str, password: str) -> Person | None:
    """Find the person whom a user name and a password belong to, and remember a failure."""
    address, username = _address(request), username.strip()[:150]
    if _closed(username, address):
        raise TooManyAttemptsError
    person = authenticate(request, username=username, password=password)
    if isinstance(person, Person):
        FailedSignIn.objects.filter(username=username, address=address).delete()
        return person
    FailedSignIn.objects.create(username=username, address=address)
    FailedSignIn.objects.filter(at__lt=timezone.now() - WINDOW).delete()
    return None


def _closed(username: str, address: str | None) -> bool:
    recent = FailedSignIn.objects.filter(at__gte=timezone.now() - WINDOW)
    recent = recent.filter(Q(username=username) | Q(address=address))
    failures = list(recent.values_list("username", "address"))
    return (
        sum(1 for failure in failures if failure == (username, address)) >= MOST_PER_PAIR
        or sum(1 for _, where in failures if where == address) >= MOST_PER_ADDRESS
        or sum(1 for who, _ in failures if who == username) >= MOST_PER_USERNAME
    )


def _address(request: HttpRequest) -> str | None:
    """Find who asks; a proxy's word is taken only where one is said to stand in front."""
    if settings.HTTPS and (forwarded := request.META.get("HTTP_X_FORWARDED_FOR")):
        return str(forwarded).rsplit(",", maxsplit=1)[-1].strip()
    return request.META.get("REMOTE_ADDR") or None
