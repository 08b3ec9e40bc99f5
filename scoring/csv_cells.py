"""A value goes in; a CSV cell that no spreadsheet takes for a formula comes out."""

from __future__ import annotations

_FORMULA = frozenset("=+-@\t\r")


def harmless(cell: object) -> str:
    """Write a value as a cell: a number as it is, and a quote before a text that looks like a formula.

    >>> harmless("=1+1"), harmless(-0.5), harmless(None), harmless("B1-001")
    ("'=1+1", '-0.5', '', 'B1-001')
    """
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return str(cell)
    text = "" if cell is None else str(cell)
    return f"'{text}" if text[:1] in _FORMULA else text
