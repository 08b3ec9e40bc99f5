"""The contract of every suite's rows: one JSON object goes in, a Row or its problems come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Problem(NamedTuple):
    """What is wrong with one field of a row, and what to do about it."""

    field: str
    reason: str


class RowError(ValueError):
    """A row that its suite refuses, with every problem found in it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(f"{field}: {reason}" for field, reason in problems))
        self.problems = tuple(problems)


class Benchmark(NamedTuple):
    """One benchmark: its code, name, category and route."""

    code: str
    name: str
    category: str
    route: str


class Row(NamedTuple):
    """A checked row: what every page filters by, and the whole of it as it was given.

    `key` is unique in a dataset, `sort` puts keys in the order people expect, `text` is what full
    text search looks at besides the key.
    """

    key: str
    sort: str
    benchmark: str
    category: str
    difficulty: str
    domain: str
    section: str
    question: str
    text: str
    fields: Mapping[str, Any]
