"""A statement on the way of every mark goes in; its rows come out, without planning it anew each time.

The database plans such a statement for longer than it works on it, and Django's compiler takes longer than
both. So it is written by hand, kept prepared with each connection, and its rows are made into models here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

import psycopg
from django.db import connection
from django.db.models import Field, Model

Row = TypeVar("Row", bound=Model)


def execute(statement: str, known: Mapping[str, Any]) -> psycopg.Cursor[Any]:
    """Run a statement in the transaction that is under way, if there is one."""
    connection.ensure_connection()
    with connection.wrap_database_errors:
        own: psycopg.Cursor[Any] = psycopg.Cursor(connection.connection)
        return own.execute(statement, known, prepare=True)


def columns(model: type[Model], alias: str, without: Collection[str] = ()) -> str:
    """List the columns of a table, as `made` takes them."""
    return ", ".join(f'{alias}."{field.column}"' for field in _fields(model, without))


def made(model: type[Row], values: Sequence[Any], without: Collection[str] = ()) -> Row:
    """Make a row into what the model's queries give."""
    fields = _fields(model, without)
    read = [_read(field, value) for field, value in zip(fields, values, strict=True)]
    return model.from_db("default", [field.attname for field in fields], read)


def _fields(model: type[Model], without: Collection[str]) -> list[Field[Any, Any]]:
    return [field for field in model._meta.concrete_fields if field.name not in without]


def _read(field: Field[Any, Any], value: Any) -> Any:
    for convert in field.get_db_converters(connection):
        value = convert(value, None, connection)
    return value
