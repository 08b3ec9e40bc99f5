"""A dataset's name goes in; it comes out locked against other imports, with the keys that others own."""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection
from django.db.models import QuerySet

from scoring.models import Membership, Version
from scoring.uploads import SUITES_WITH_KEYS_OF_THE_REPOSITORY

Busy = Callable[[str], None]


class BusyError(Exception):
    """Somebody else imports what must not be imported twice at once; the message says what."""


def refuse(what: str) -> None:
    """Do not wait for somebody else."""
    raise BusyError(what)


def reserve(name: str, suite: str, busy: Busy = refuse) -> None:
    """Lock a dataset, and the keys of a suite that its datasets share, until the transaction ends.

    Where somebody else has them, `busy` is told what is waited for, and raises if it is not to be.
    """
    _lock(f"dataset {name}", "another upload of this dataset", busy)
    if suite in SUITES_WITH_KEYS_OF_THE_REPOSITORY:
        _lock(f"keys of {suite}", f"another upload of {suite} cases, whose ids must differ from these", busy)


def owners(name: str, suite: str) -> dict[str, str]:
    """Say which other datasets in use hold which keys in their latest versions."""
    if suite not in SUITES_WITH_KEYS_OF_THE_REPOSITORY:
        return {}
    others = Version.objects.filter(dataset__suite=suite, dataset__retired_at=None)
    latest = others.exclude(dataset__name=name).order_by("dataset_id", "-number").distinct("dataset_id")
    return dict(_members(latest).values_list("case__key", "version__dataset__name"))


def taken(name: str, suite: str) -> dict[str, str]:
    """Say which keys of a dataset's latest version other datasets in use hold."""
    owned = owners(name, suite)
    latest = Version.objects.filter(dataset__name=name).order_by("-number")[:1]
    keys = _members(latest).order_by("position").values_list("case__key", flat=True)
    return {key: owned[key] for key in keys if key in owned}


def _members(versions: QuerySet[Version]) -> QuerySet[Membership]:
    return Membership.objects.filter(version__in=versions.values("pk")).order_by()


def _lock(name: str, what: str, busy: Busy) -> None:
    """Take a lock that ends with the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", [name])
        row = cursor.fetchone()
        if not (row and row[0]):
            busy(what)
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])
