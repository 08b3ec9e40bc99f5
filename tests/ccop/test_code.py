"""The Code: its sections and clauses, as facts."""

from __future__ import annotations

import pytest

from scoring.ccop import code


def test_it_has_eleven_sections_and_178_clauses() -> None:
    assert [number for number in code.HEADINGS if "." not in number] == [
        str(number) for number in range(1, 12)
    ]
    assert len(code.CLAUSES) == 178


def test_it_puts_every_clause_under_a_heading() -> None:
    assert all(clause.rpartition(".")[0] in code.HEADINGS for clause in code.CLAUSES)


@pytest.mark.parametrize("number", ["5", "5.1", "5.1.3", "5.10.2", "11.2.2", "05.1.3", "5.0"])
def test_it_has_what_it_has(number: str) -> None:
    assert code.exists(number)


@pytest.mark.parametrize("number", ["0", "12", "5.18", "5.1.5", "5.1.3.1", "5.1.0", "", ".", "x"])
def test_it_has_nothing_else(number: str) -> None:
    assert not code.exists(number)


def test_it_finds_the_nearest_heading() -> None:
    assert code.heading("5.10.2") == "Patch Management"
    assert code.heading("5.99.1") == "Protection Requirements"
    assert code.heading("99") == ""
