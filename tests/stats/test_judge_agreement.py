"""The judge is compared with people: by criterion, and as if people had seen all of its verdicts."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from reviews.stats import judge_agreement
from reviews.stats import panel as panels


def verdicts(
    judge: list[float], person: list[float | None], weights: list[float] | None = None
) -> panels.Panel:
    rows = [
        (i, "accuracy", who, mark) for i in range(len(judge)) for who, mark in ((0, judge[i]), (1, person[i]))
    ]
    return panels.gather(rows, weights=dict(enumerate(weights)) if weights else None)


def test_it_measures_the_bias_with_its_sign() -> None:
    found = judge_agreement.measure(verdicts([5, 4, 4, 5, 3], [4, 4, 3, 3, 3]))
    assert found.bias.value == pytest.approx(0.8)
    assert judge_agreement.measure(verdicts([4, 4, 3, 3, 3], [5, 4, 4, 5, 3])).bias.value == pytest.approx(
        -0.8
    )


def test_it_leaves_out_what_no_person_marked() -> None:
    found = judge_agreement.measure(verdicts([5, 4, 1], [5, 4, None]))
    assert (found.exact.value, found.exact.n) == (1.0, 2)


def test_it_weighs_answers_by_how_many_they_stand_for() -> None:
    found = judge_agreement.measure(verdicts([5, 4, 3], [5, 2, 3], weights=[5.0, 1.0, 4.0]))
    assert found.exact.value == pytest.approx(0.9)
    assert found.bias.value == pytest.approx(0.2)


def test_its_weighted_kappa_equals_scikit_learn() -> None:
    rng = np.random.default_rng(3)
    judge = rng.integers(1, 6, 60)
    person = np.clip(judge + rng.integers(-1, 2, 60), 1, 5)
    weights = rng.choice([1.0, 5.0], 60)
    found = judge_agreement.measure(verdicts(judge.tolist(), person.tolist(), weights.tolist()))
    expected = cohen_kappa_score(judge, person, weights="quadratic", sample_weight=weights)
    assert found.kappa.value == pytest.approx(expected)


def test_it_speaks_of_all_verdicts_though_people_saw_the_doubtful_ones_first() -> None:
    # The judge errs on 40 % of the doubtful fifth, and on 5 % of the rest, of which people see a fifth.
    rng = np.random.default_rng(1)
    doubtful = rng.random(20_000) < 0.2
    wrong = rng.random(20_000) < np.where(doubtful, 0.4, 0.05)
    seen = doubtful | (rng.random(20_000) < 0.2)
    person = np.where(wrong, 3.0, 4.0)[seen].tolist()
    weights = np.where(doubtful, 1.0, 5.0)[seen].tolist()
    found = judge_agreement.measure(verdicts([4.0] * len(person), person, weights))
    assert found.exact.value == pytest.approx(1 - wrong.mean(), abs=0.01)
    assert judge_agreement.measure(verdicts([4.0] * len(person), person)).exact.value == pytest.approx(
        0.756, abs=0.02
    )


def test_it_compares_each_criterion() -> None:
    marks: list[panels.Mark] = [
        ("a", "accuracy", "judge", 4), ("a", "accuracy", "bob", 4),
        ("a", "clarity", "judge", 5), ("a", "clarity", "bob", 3),
    ]  # fmt: skip
    found = judge_agreement.by_criterion(panels.gather(marks))
    assert {name: one.bias.value for name, one in found.items()} == {"accuracy": 0.0, "clarity": 2.0}


@pytest.mark.parametrize("panel", [panels.gather([]), verdicts([4], [None]), panels.table([[4], [3]])])
def test_it_knows_nothing_without_a_person(panel: panels.Panel) -> None:
    found = judge_agreement.measure(panel)
    assert [one.value for one in found] == [None] * 4
    assert all(one.reason for one in found)


def test_it_refuses_a_third() -> None:
    with pytest.raises(ValueError, match="there are 3"):
        judge_agreement.measure(panels.table([[4, 4, 4]]))


def test_its_interval_of_the_bias_covers_95_percent() -> None:
    repeats, hits = 800, 0
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        person = rng.integers(2, 5, 60)
        judge = person + rng.choice([-1, 0, 1], 60, p=[0.1, 0.6, 0.3])
        panel = verdicts(judge.tolist(), person.tolist())
        hits += not judge_agreement.measure(panel, seed=seed, resamples=400).bias.excludes(0.2)
    assert 0.93 <= hits / repeats <= 0.97
