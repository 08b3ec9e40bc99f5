"""Marks and scores go in; how long their statistics take on one core comes out.

What counts is the processor's time, so that other work on the machine does not.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks.table import Row, print_table
from evalportal.stats import corrected_mean, mean_interval, tied_ranks
from reviews.stats import gate
from reviews.stats.panel import SCALE, Panel

ANSWERS, CRITERIA, REVIEWERS, BENCHMARKS = 10_000, 4, 3, 4
RUNS, CASES, CLUSTERS = 200, 5_000, 1_000


def measure() -> list[Row]:
    """Time an agreement report with all its intervals, the ranks of a board, and the estimates of a run."""
    with threadpool_limits(1):
        return _rows()


def _rows() -> list[Row]:
    panel, board = _panel(np.random.default_rng(1)), _board(np.random.default_rng(2))
    clusters = np.arange(CASES) % CLUSTERS
    marked = f"{ANSWERS:,} answers x {REVIEWERS} reviewers x {CRITERIA} criteria"
    return [
        _row(
            f"agreement of a run, five measures with intervals, {marked}",
            lambda: gate.measure_all(panel),
            0.5,
        ),
        _row(
            f"the same for each criterion, benchmark and pair as well, {marked}", lambda: _report(panel), 2.0
        ),
        _row(f"ranks with ties, {RUNS} runs x {CASES:,} cases", lambda: tied_ranks.rank(board), 0.5),
        _row(f"the same with {CLUSTERS:,} clusters", lambda: tied_ranks.rank(board, clusters=clusters), 2.0),
        _row(f"mean of a run, {CASES:,} cases", lambda: mean_interval.measure(board[0]), 0.01),
        _row(f"corrected mean of {ANSWERS:,} judged answers", _corrected, 0.2),
    ]


def _report(panel: Panel) -> None:
    """Compute every interval that the agreement page shows."""
    gate.measure_all(panel)
    for criterion in panel.criteria:
        gate.measure_all(panel.of_criterion(criterion))
    for benchmark in range(BENCHMARKS):
        gate.measure_all(panel.of_answers(np.arange(ANSWERS) % BENCHMARKS == benchmark))
    for pair in panel.pairs():
        gate.measure_all(panel.of_reviewers(*pair))


def _corrected() -> None:
    rng = np.random.default_rng(3)
    judge, person = rng.random(ANSWERS), rng.random(ANSWERS)
    given = [float(score) if place % 5 == 0 else None for place, score in enumerate(person)]
    corrected_mean.measure(judge.tolist(), given, [0.2] * ANSWERS)


def _row(what: str, work: Callable[[], object], target: float) -> Row:
    seconds = min(_seconds(work) for _ in range(3))
    return Row(what, f"{seconds:.3f} s", f"<= {target:g} s", seconds <= target)


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _panel(rng: np.random.Generator) -> Panel:
    quality = 3.4 + rng.normal(size=(ANSWERS, 1, 1)) + 0.5 * rng.normal(size=(ANSWERS, CRITERIA, 1))
    marks = np.clip(np.round(quality + 0.7 * rng.normal(size=(ANSWERS, CRITERIA, REVIEWERS))), 1, 5)
    names = (tuple(range(ANSWERS)), tuple(range(CRITERIA)), tuple(range(REVIEWERS)))
    return Panel((marks - 1).astype(np.int8), *names, SCALE, np.ones(ANSWERS))


def _board(rng: np.random.Generator) -> NDArray[np.float64]:
    table = np.clip(0.6 + 0.1 * rng.normal(size=(RUNS, 1)) + 0.3 * rng.normal(size=(RUNS, CASES)), 0, 1)
    return np.where(rng.random(table.shape) < 0.02, np.nan, table)


if __name__ == "__main__":
    print_table(measure())
