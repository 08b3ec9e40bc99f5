"""What was measured goes in; how much more it takes to know it as well as one asks for comes out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from evalportal import validations
from evalportal.comparison import Comparison
from evalportal.stats import mean_interval, sample_size
from evalportal.stats.sample_size import SampleSize
from reviews.judges import Judged
from scoring.models import Run

_POINT = 0.01


class CasesNeeded(NamedTuple):
    """How many questions show a difference between a run and the first, and which one these here show."""

    run: Run
    needed: int | None
    reason: str
    smallest: float | None


def cases(found: Comparison, points: float) -> list[CasesNeeded]:
    """Say of each run how many questions like these show that it differs from the first by so many points."""
    return [_cases(found, row, points) for row in range(1, len(found.runs))]


def more_validations(rows: Sequence[Judged], points: float) -> SampleSize:
    """Say how many more verdicts people must validate to know the corrected mean to ± so many points."""
    return sample_size.validations(validations.strata(rows), margin=points * _POINT)


def _cases(found: Comparison, row: int, points: float) -> CasesNeeded:
    run, aligned = found.runs[row], found.aligned
    apart = aligned.scores[row] - aligned.scores[0]
    spread = mean_interval.of_mean(*mean_interval.known(apart, aligned.clusters))
    if spread.unknown:
        return CasesNeeded(run, None, "Nothing shows how far the questions differ from one another.", None)
    # What clusters add to the error of the mean, they add to the number of questions needed.
    each = spread.error * math.sqrt(aligned.n)
    needed = sample_size.cases(difference=points * _POINT, spread=each)
    smallest = sample_size.smallest_difference(n=aligned.n, spread=each)
    return CasesNeeded(run, needed.needed, needed.reason, smallest)
