"""A value goes in as JSON and comes out with its keys in the order that they were given."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg.types.json import Json


class OrderedJSONField(models.JSONField):
    """JSON kept as text: PostgreSQL's jsonb would sort the keys of every object by their length."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "json"

    def get_db_prep_value(self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False) -> Any:
        return None if value is None else Json(value)

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Any:
        return super().from_db_value(value, expression, connection) if isinstance(value, str) else value
