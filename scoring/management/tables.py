"""The database goes in; nothing comes out if its tables are those of this portal, else a plain sentence."""

from __future__ import annotations

from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


def require() -> None:
    """Refuse to work on a database that has no tables yet, or those of an earlier portal."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise CommandError(
            "The database is not set up for this portal yet: run `python manage.py migrate`, "
            "or start the portal once."
        )
