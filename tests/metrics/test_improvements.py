"""Improvements: the published comparison, directions, what cannot be divided."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.improvements import Improvement, change, percent, table
from scoring.registry import UnknownPluginError

PRE_TRAINED = {
    "coherence": 0.049,
    "hallucination": 0.091,
    "perplexity": 1.252,
    "repetition": 0.45,
    "prompt_copying": 0.82,
    "semantic_richness": 0.25,
    "combined": -0.054,
}
FINE_TUNED = {
    "coherence": 0.450,
    "hallucination": 0.236,
    "perplexity": 1.189,
    "repetition": 0.15,
    "prompt_copying": 0.35,
    "semantic_richness": 0.48,
    "combined": 0.202,
}
value = st.floats(-100, 100).filter(lambda number: abs(number) > 1e-9)


def only(metric: str, old: float | None, new: float | None) -> Improvement:
    (row,) = table({metric: old}, {metric: new})
    return row


def test_it_reproduces_the_published_comparison() -> None:
    shown = {row.metric: percent(row.change) for row in table(PRE_TRAINED, FINE_TUNED)}
    assert shown == {
        "coherence": "+818 %",
        "hallucination": "+159 %",
        "perplexity": "-5 %",
        "repetition": "-67 %",
        "prompt_copying": "-57 %",
        "semantic_richness": "+92 %",
        "combined": "+474 %",
    }


def test_it_calls_all_of_the_published_changes_better_but_the_rise_in_hallucination() -> None:
    worse = [row.metric for row in table(PRE_TRAINED, FINE_TUNED) if not row.better]
    assert worse == ["hallucination"]


@pytest.mark.parametrize(
    ("old", "new", "better"),
    [
        (1.0, 6.0, True),
        (1.0, 14.0, True),
        (20.0, 15.0, True),
        (6.0, 14.0, None),
        (6.0, 1.0, False),
        (4.0, 20.0, False),
    ],
)
def test_it_wants_a_moderate_metric_in_its_healthy_band(old: float, new: float, better: bool | None) -> None:
    assert only("kl_shift", old, new).better is better


def test_it_divides_by_nothing() -> None:
    assert change(5e-324, 1.0) is None
    row = only("repetition", 0.0, 0.1)
    assert (row.change, row.better, percent(row.change)) == (None, False, "–")


@pytest.mark.parametrize(("old", "new"), [(None, 0.5), (0.5, None), (None, None)])
def test_it_leaves_unknown_what_is_unknown(old: float | None, new: float | None) -> None:
    row = only("coherence", old, new)
    assert (row.change, row.better) == (None, None)


def test_it_lists_a_metric_that_only_one_run_has() -> None:
    rows = table({"coherence": 0.5}, {"perplexity": 2.0})
    assert [(row.metric, row.old, row.new) for row in rows] == [
        ("coherence", 0.5, None),
        ("perplexity", None, 2.0),
    ]


def test_it_knows_no_direction_of_a_metric_that_does_not_exist() -> None:
    with pytest.raises(UnknownPluginError, match=r"no 'charm' in scoring\.metrics"):
        only("charm", 0.1, 0.2)


@given(value, value)
def test_it_takes_the_sign_of_the_change_whatever_the_sign_of_the_old_value(old: float, new: float) -> None:
    share = change(old, new)
    assert share is not None
    assert (share > 0) == (new > old) or share == 0
    assert old + share * abs(old) == pytest.approx(new, abs=1e-9)
