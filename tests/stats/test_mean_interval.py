"""A mean's interval equals scipy's, allows for clusters, covers what it says, and is honest for few."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from evalportal.stats import mean_interval
from reviews.stats import t_distribution

Array = NDArray[np.float64]
scores = st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=30)


def test_it_equals_scipy() -> None:
    values = np.random.default_rng(1).beta(2, 1, 37)
    expected = stats.ttest_1samp(values, 0).confidence_interval()
    found = mean_interval.measure(values.tolist())
    assert (found.low, found.high) == pytest.approx(tuple(expected))


def test_it_equals_itself_with_a_cluster_for_each_score() -> None:
    values = np.random.default_rng(1).beta(2, 1, 37).tolist()
    one, other = mean_interval.measure(values), mean_interval.measure(values, clusters=range(37))
    assert (other.low, other.high) == pytest.approx((one.low, one.high))


def test_it_equals_statsmodels_with_even_clusters() -> None:
    api = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(9), 5)
    values = rng.normal(size=9)[clusters] + rng.normal(size=45)
    fit = api.OLS(values, np.ones(45)).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    found = mean_interval.measure(values.tolist(), clusters=clusters.tolist())
    assert (found.low, found.high) == pytest.approx(tuple(fit.conf_int()[0]))


def test_it_equals_the_definition_with_uneven_clusters() -> None:
    # Bell and McCaffrey's formulas with whole matrices, for a regression on a constant alone.
    rng = np.random.default_rng(3)
    sizes = [1, 2, 5, 9]
    clusters = np.repeat(np.arange(4), sizes)
    values, n = rng.normal(size=17), 17
    hat = np.full((n, n), 1 / n)
    residuals, contributions = values - values.mean(), []
    variance = 0.0
    for cluster in range(4):
        inside = clusters == cluster
        w, v = np.linalg.eigh(np.eye(sizes[cluster]) - hat[np.ix_(inside, inside)])
        adjusted = np.ones(sizes[cluster]) @ (v @ np.diag(w**-0.5) @ v.T)
        variance += float(adjusted @ residuals[inside]) ** 2 / n**2
        contributions.append((np.eye(n) - hat)[:, inside] @ adjusted / n)
    gram = np.array(contributions) @ np.array(contributions).T
    spread = mean_interval.of_mean(values, clusters)
    assert spread.error == pytest.approx(variance**0.5)
    assert spread.df == pytest.approx(np.trace(gram) ** 2 / (gram**2).sum())


def test_it_leaves_out_what_is_not_scored() -> None:
    assert mean_interval.measure([0.5, None, 0.7]) == mean_interval.measure([0.5, 0.7])
    clustered = mean_interval.measure([0.5, None, 0.7, 0.1], clusters=["a", "c", "a", "b"])
    assert clustered == mean_interval.measure([0.5, 0.7, 0.1], clusters=["a", "a", "b"])


@pytest.mark.parametrize(
    ("values", "clusters", "reason"),
    [
        ([], None, mean_interval.NO_SCORES),
        ([None, None], None, mean_interval.NO_SCORES),
        ([0.4], None, mean_interval.ONE_SCORE),
        ([0.4] * 9, None, mean_interval.ALL_EQUAL),
        ([0.1, 0.9, 0.4], ["5"] * 3, mean_interval.ONE_CLUSTER),
        ([0.0, 1.0, 0.0, 1.0], [1, 1, 2, 2], mean_interval.ALL_ALIKE),
    ],
)
def test_it_says_why_there_is_no_interval(
    values: list[float | None], clusters: list[str] | None, reason: str
) -> None:
    found = mean_interval.measure(values, clusters=clusters)
    assert (found.low, found.reason) == (None, reason)


def test_it_knows_no_spread_of_nothing() -> None:
    assert mean_interval.of_mean(*mean_interval.known([None], ["a"])).unknown == mean_interval.NO_SCORES


def test_it_refuses_unequal_lists() -> None:
    with pytest.raises(ValueError, match="2 scores cannot have 1 clusters"):
        mean_interval.measure([0.1, 0.2], clusters=["a"])


def test_it_refuses_infinity() -> None:
    with pytest.raises(ValueError, match="finite"):
        mean_interval.measure([0.1, float("inf")])


@given(scores)
def test_it_survives_any_scores(values: list[float | None]) -> None:
    for found in (mean_interval.measure(values), mean_interval.by_bootstrap(values, resamples=50)):
        assert found.n == sum(value is not None for value in values)
        assert found.low is None or found.value is None or found.low <= found.value <= (found.high or 0.0)


@given(scores)
def test_it_does_not_depend_on_the_order(values: list[float | None]) -> None:
    mixed = [values[place] for place in np.random.default_rng(len(values)).permutation(len(values))]
    one, other = mean_interval.measure(values), mean_interval.measure(mixed)
    assert [one.value, one.low] == pytest.approx([other.value, other.low], abs=1e-9)


def coverage(values: Array, clusters: NDArray[np.intp], truth: float) -> float:
    """Count how many rows' intervals hold the truth, by the formulas of `of_mean` for all rows at once."""
    sizes = np.bincount(clusters).astype(float)
    means, n = values.mean(axis=1), values.shape[1]
    sums = (values - means[:, None]) @ np.eye(len(sizes))[clusters]
    errors = np.sqrt((sums**2 / (1 - sizes / n)).sum(axis=1)) / n
    width = t_distribution.critical(0.95, mean_interval.freedom(sizes)) * errors
    return float((np.abs(means - truth) <= width).mean())


@pytest.mark.parametrize("n", [5, 20, 200])
def test_it_covers_95_percent(n: int) -> None:
    values = np.random.default_rng(n).normal(0.6, 0.2, size=(20_000, n))
    rows = [mean_interval.measure(row.tolist()).excludes(0.6) for row in values[:200]]
    assert sum(rows) == round(200 - 200 * coverage(values[:200], np.arange(n), 0.6))
    assert 0.945 < coverage(values, np.arange(n), 0.6) < 0.955


@pytest.mark.parametrize("likeness", [0.0, 0.3])
@pytest.mark.parametrize("sizes", [[20] * 11, [10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30], [5] * 60])
def test_it_covers_95_percent_with_clusters(sizes: list[int], likeness: float) -> None:
    rng = np.random.default_rng(len(sizes))
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    shared = rng.normal(size=(8_000, len(sizes)))[:, clusters]
    values = likeness**0.5 * shared + (1 - likeness) ** 0.5 * rng.normal(size=shared.shape)
    # Of 8,000 intervals that cover 95 %, 94.4 to 95.6 % do so; uneven clusters cost up to a point.
    assert 0.935 < coverage(values, clusters, 0.0) < 0.96


def test_it_would_cover_far_less_without_clusters() -> None:
    rng = np.random.default_rng(1)
    clusters = np.repeat(np.arange(11), 20)
    values = 0.3**0.5 * rng.normal(size=(2_000, 11))[:, clusters] + 0.7**0.5 * rng.normal(size=(2_000, 220))
    assert coverage(values, np.arange(220), 0.0) < 0.7


def test_its_bootstrap_covers_95_percent() -> None:
    repeats, hits = 1_000, 0
    for seed in range(repeats):
        values = np.random.default_rng(seed).choice([0.0, 0.25, 0.5, 1.0], 60, p=[0.1, 0.2, 0.3, 0.4])
        hits += not mean_interval.by_bootstrap(values.tolist(), seed=seed, resamples=500).excludes(0.6)
    assert 0.93 <= hits / repeats <= 0.97


def test_its_bootstrap_draws_whole_clusters() -> None:
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(30), 10)
    values = (rng.normal(size=30)[clusters] + 0.1 * rng.normal(size=300)).tolist()
    alone = mean_interval.by_bootstrap(values, seed=1).margin or 0.0
    together = mean_interval.by_bootstrap(values, clusters=clusters.tolist(), seed=1).margin or 0.0
    assert together > 2.5 * alone
    assert together == pytest.approx(
        mean_interval.measure(values, clusters=clusters.tolist()).margin, rel=0.15
    )
