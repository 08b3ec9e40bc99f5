"""Phases: thresholds, their edges, overrides, bad input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import phases


@pytest.mark.parametrize(("phase", "limit"), [("baseline", 0.15), ("fine-tuned", 0.5), ("deployment", 0.85)])
def test_it_passes_from_the_threshold_on(phase: str, limit: float) -> None:
    assert phases.passes(limit, phase)
    assert phases.passes(limit - 1e-10, phase)
    assert not phases.passes(limit - 1e-8, phase)


@pytest.mark.parametrize("spelling", ["fine-tuned", "Fine_Tuned", "FINETUNED", " fine tuned "])
def test_it_reads_a_phase_in_any_spelling(spelling: str) -> None:
    assert phases.threshold(spelling) == 0.5


@pytest.mark.parametrize("override", [0, 0.0, 0.3, 1])
def test_it_lets_an_override_rule(override: float) -> None:
    assert phases.threshold("deployment", override) == override


@pytest.mark.parametrize("override", [-0.01, 1.01, float("nan"), float("inf"), True])
def test_it_refuses_an_override_outside_zero_to_one(override: float) -> None:
    with pytest.raises(phases.PhaseError, match="threshold: must be between 0 and 1"):
        phases.threshold("baseline", override)


def test_it_names_the_phases_when_there_is_no_such_one() -> None:
    with pytest.raises(phases.PhaseError, match="there are: baseline, fine-tuned, deployment"):
        phases.passes(0.5, "production")


def test_it_knows_nothing_of_a_score_that_is_not_there() -> None:
    assert phases.passes(None, "baseline") is None


@given(st.floats(0, 1), st.floats(0, 1))
def test_it_is_a_comparison(score: float, limit: float) -> None:
    assert phases.passes(score, "baseline", limit) == (score >= limit - 1e-9)
