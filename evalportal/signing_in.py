"""A user name and a password go in, a person comes out; too many wrong ones close the door for a while."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from ipaddress import ip_address

from django.conf import settings
from django.contrib.auth import authenticate
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from evalportal import demo
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
    if isinstance(person, Person) and not _known_to_everyone(password):
        FailedSignIn.objects.filter(username=username, address=address).delete()
        return person
    FailedSignIn.objects.create(username=username, address=address)
    FailedSignIn.objects.filter(at__lt=timezone.now() - WINDOW).delete()
    return None


def _known_to_everyone(password: str) -> bool:
    """Say whether a demo's password is tried elsewhere: data that a demo made may have come here."""
    return password in demo.PASSWORDS and not settings.DEMO


def _closed(username: str, address: str | None) -> bool:
    recent = FailedSignIn.objects.filter(at__gte=timezone.now() - WINDOW)
    recent = recent.filter(Q(username=username) | Q(address=address))
    failures = list(recent.values_list("username", "address"))
    return (
        sum(1 for failure in failures if failure == (username, address)) >= MOST_PER_PAIR
        # Those whose address nobody knows have none in common.
        or (address is not None and sum(1 for _, where in failures if where == address) >= MOST_PER_ADDRESS)
        or sum(1 for who, _ in failures if who == username) >= MOST_PER_USERNAME
    )


def _address(request: HttpRequest) -> str | None:
    """Find who asks: each proxy in front adds whom it was asked by; anyone can write what stands before."""
    forwarded = str(request.META.get("HTTP_X_FORWARDED_FOR", "")).split(",")
    if settings.PROXIES and any(forwarded):
        return _parsed(forwarded[-settings.PROXIES :][0])
    return _parsed(request.META.get("REMOTE_ADDR", ""))


def _parsed(words: str) -> str | None:
    """Read an address, with or without brackets and a port; None if it is none."""
    words = words.strip()
    for candidate in (words, words.rpartition(":")[0].strip("[]"), words.strip("[]")):
        with suppress(ValueError):
            return str(ip_address(candidate.partition("%")[0]))
    return None
