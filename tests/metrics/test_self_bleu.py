"""Self-BLEU: extremes, evidence, bad input; that BLEU is right is shown beside sacreBLEU."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.language import bleu
from scoring.measurement import Sample
from scoring.metrics.self_bleu import measure


def test_it_is_a_hundred_for_equal_answers_and_says_so() -> None:
    found = measure(Sample("Block the port.", siblings=["Block the port."] * 4))
    assert found.value == pytest.approx(100.0)
    assert found.flags == ("All answers are the same.",)


def test_it_is_zero_for_answers_without_a_common_token() -> None:
    assert measure(Sample("alpha beta", siblings=["gamma delta", "epsilon"])).value == 0.0


def test_it_shows_what_each_bleu_is_made_of() -> None:
    own = measure(Sample("a b c", siblings=["a b d e"])).evidence["answers"][0]
    assert (own["matches"], own["totals"]) == ([2, 1, 0, 0], [3, 2, 1, 0])
    assert (own["length"], own["reference_length"]) == (3, 4)
    assert own["brevity_penalty"] == pytest.approx(math.exp(1 - 4 / 3))
    assert own["score"] == pytest.approx(100 * math.exp(1 - 4 / 3) * (2 / 3 * 1 / 2 * 0.5 / 1) ** (1 / 3))


def test_it_is_none_for_a_single_answer() -> None:
    assert measure(Sample("Only one.")).value is None
    with pytest.raises(ValueError, match="at least two answers"):
        bleu.each_against_others(["Only one."])


def test_it_takes_blank_answers_as_unlike_any_other() -> None:
    assert measure(Sample("", siblings=["", "Block it."])).value == 0.0


@given(st.lists(st.text(alphabet="ab c.", max_size=20), min_size=2, max_size=5), st.randoms())
def test_it_does_not_depend_on_the_order_of_the_answers(answers: list[str], random: object) -> None:
    shuffled = sorted(answers, key=lambda _: random.random())  # type: ignore[attr-defined]
    first, second = (measure(Sample(some[0], siblings=some[1:])).value for some in (answers, shuffled))
    assert first == pytest.approx(second)
    assert first is not None
    assert 0.0 <= first <= 100.0 + 1e-9
