"""Cells of a CSV file are harmless in a spreadsheet."""

from __future__ import annotations

import pytest

from scoring import csv_cells


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@sum", "\t=1", "\r=1"])
def test_it_quotes_what_a_spreadsheet_would_run(cell: str) -> None:
    assert csv_cells.harmless(cell) == f"'{cell}"


@pytest.mark.parametrize(("cell", "written"), [(None, ""), (-0.5, "-0.5"), (0, "0"), ("a=1", "a=1")])
def test_it_leaves_the_rest_as_it_is(cell: object, written: str) -> None:
    assert csv_cells.harmless(cell) == written
