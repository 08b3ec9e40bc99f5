"""Diagnosis: low with high completeness, low with low, fabrication first."""

from __future__ import annotations

import pytest

from scoring.diagnosis_rules import Limits, diagnose


@pytest.mark.parametrize(
    ("overall", "completeness", "kind"),
    [
        (0.49, 0.60, "verbosity"),
        (0.49, 0.59, "knowledge gap"),
        (0.50, 0.10, "sound"),
        (0.10, None, "unclear"),
    ],
)
def test_it_reads_overall_and_completeness(overall: float, completeness: float | None, kind: str) -> None:
    assert [finding.kind for finding in diagnose(overall, completeness)] == [kind]


def test_it_puts_fabrication_first_whatever_the_score() -> None:
    found = diagnose(0.95, 1.0, fabrications=2)
    assert [finding.kind for finding in found] == ["unsafe", "sound"]
    assert found[0].why == "2 responses make up claims or clauses of the Code."


def test_it_says_nothing_of_what_is_not_scored() -> None:
    assert diagnose(None, 0.9) == []
    assert [finding.kind for finding in diagnose(None, None, fabrications=1)] == ["unsafe"]


def test_it_takes_its_limits_from_settings() -> None:
    assert diagnose(0.6, 0.8, limits=Limits(0.7, 0.9))[0].kind == "knowledge gap"


def test_it_gives_the_numbers_that_it_rests_on() -> None:
    assert diagnose(0.4, 0.7)[0].why == "Overall 0.40 is below 0.50, yet completeness 0.70 is at least 0.60."
