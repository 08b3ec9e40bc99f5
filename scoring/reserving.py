"""A dataset's name goes in; it comes out locked against other imports, with the keys that others own."""

from __future__ import annotations

from django.db import connection
from django.db.models import QuerySet

from scoring.models import Membership, Version

# A test id names one case of the whole repository; the keys of other suites are unique in their dataset.
SUITES_WITH_KEYS_OF_THE_REPOSITORY = frozenset({"ccop"})


class BusyError(Exception):
    """Somebody else imports what must not be imported twice at once; the message says what."""


def reserve(name: str, suite: str, *, wait: bool = True) -> None:
    """Lock a dataset, and the keys of a suite that its datasets share, until the transaction ends.

    Who does not wait gets BusyError where somebody else has them. Taken twice, they are ours twice.
    """
    _lock(f"dataset {name}", "another upload of this dataset", wait)
    if suite in SUITES_WITH_KEYS_OF_THE_REPOSITORY:
        _lock(f"keys of {suite}", f"another upload of {suite} cases, whose ids must differ from these", wait)


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


def _lock(name: str, what: str, wait: bool) -> None:
    """Take a lock that ends with the transaction."""
    function = "pg_advisory_xact_lock" if wait else "pg_try_advisory_xact_lock"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(hashtextextended(%s, 0))", [name])
        row = cursor.fetchone()
    if not wait and not (row and row[0]):
        raise BusyError(what)
