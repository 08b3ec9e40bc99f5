"""Measurements go in, one table comes out on the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Row(NamedTuple):
    """One measurement: what it is of, the figure, what it should be, and whether it is; None: no target."""

    what: str
    figure: str
    target: str
    met: bool | None


def print_table(rows: Iterable[Row]) -> None:
    """Print a table that reads well as plain text and as Markdown."""
    cells = [("what", "figure", "target", "met"), *(_cells(row) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(4)]
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in cells]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    print("\n".join([lines[0], rule, *lines[1:]]))


def _cells(row: Row) -> tuple[str, str, str, str]:
    met = {True: "yes", False: "NO", None: ""}[row.met]
    return row.what, row.figure, row.target, met
