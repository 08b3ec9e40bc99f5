"""Two to five runs go in; how they differ on the questions they have in common comes out.

The first run is the one that the others are compared with. Whatever is compared is compared question by
question, so that what is hard for all of them does not count as a difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from django.db.models import QuerySet

from evalportal import alignment, board_entries
from evalportal.alignment import Aligned, Floats, Mask
from evalportal.models import BoardEntry
from evalportal.stats import holm, mcnemar, mean_interval, paired_difference
from evalportal.stats.mcnemar import McNemar
from evalportal.stats.paired_difference import PairedDifference
from scoring import benchmarks, ordering, phases
from scoring.models import Case, Run, Scoring
from scoring.statistic import Statistic

FEWEST, MOST = 2, 5


class ComparisonError(Exception):
    """The runs cannot be compared; the message says why, and what to do."""


class Against(NamedTuple):
    """One run beside the first: the difference over all questions, and what passed in only one of them."""

    run: Run
    mean: Statistic
    difference: Statistic
    p_value: float | None
    better: int
    worse: int
    equal: int
    flips: McNemar
    flips_p_value: float | None

    @property
    def reading(self) -> str:
        """Say in words what the difference comes to."""
        if self.p_value is None:
            return "Not known to differ."
        if self.p_value >= 0.05:
            return "No difference is shown."
        return "Scores higher." if (self.difference.value or 0.0) > 0 else "Scores lower."


class Apart(NamedTuple):
    """How a run differs from the first on some questions, and on how many it is better and worse."""

    difference: Statistic
    better: int
    worse: int


class Group(NamedTuple):
    """The questions of one category, benchmark or difficulty, and how each run differs on them."""

    name: str
    label: str
    n: int
    means: Sequence[float]
    apart: Sequence[Apart]


class Comparison(NamedTuple):
    """What two to five runs have to say about one another; `whole` if all their answers are compared."""

    runs: Sequence[Run]
    threshold: float
    aligned: Aligned
    base: Statistic
    against: Sequence[Against]
    groups: Mapping[str, Sequence[Group]]
    left_out: Sequence[tuple[Run, int]]
    versions: int
    whole: bool

    @property
    def case_count(self) -> int:
        return len(np.unique(self.aligned.cases))


def chosen(numbers: str) -> list[Run]:
    """Find the runs that a list of numbers names, in its order, or say what is wrong with it."""
    given = list(dict.fromkeys(part.strip() for part in numbers.split(",") if part.strip()))
    if not FEWEST <= len(given) <= MOST:
        raise ComparisonError(f"Choose {FEWEST} to {MOST} runs; {len(given) or 'none'} chosen so far.")
    wanted = [int(part) for part in given if part.isdecimal() and len(part) < 18]
    found = Run.objects.select_related("version__dataset", "endpoint").in_bulk(wanted)
    if missing := [part for part in given if not part.isdecimal() or int(part[:18]) not in found]:
        raise ComparisonError(f"There is no run {', '.join(missing)[:80]}. Choose from the list.")
    return [found[number] for number in wanted]


def comparable() -> QuerySet[Run]:
    """List the runs that can be compared, the newest first."""
    states = (Run.State.AWAITING_REVIEW, Run.State.FINAL)
    found = Run.objects.filter(state__in=states).select_related("version__dataset", "endpoint")
    return found.defer("summary", "parameters").order_by("-pk")[:100]


def scorings(runs: Sequence[Run]) -> list[Scoring]:
    """Find the scoring that counts of each run, or say which run has none."""
    newest = Scoring.objects.filter(run__in=runs).order_by("run_id", "-number").distinct("run_id")
    found = {scoring.run_id: scoring for scoring in newest if scoring.finished_at is not None}
    for run in runs:
        if run.pk not in found or run.state not in {Run.State.AWAITING_REVIEW, Run.State.FINAL}:
            state = Run.State(run.state).label.lower()
            raise ComparisonError(
                f"“{run.name}” is {state}: it can be compared once all its answers are scored."
            )
        found[run.pk].run = run
    return [found[run.pk] for run in runs]


def compare(runs: Sequence[Run], counted: Sequence[Scoring]) -> Comparison:
    """Compare runs with the first of them."""
    entries = board_entries.find(counted)
    kept = board_entries.scores(counted)
    scores = [kept[scoring.pk] for scoring in counted]
    aligned = alignment.align(scores)
    if not aligned.n:
        raise ComparisonError(_nothing(runs, [len(one.cases) for one in scores]))
    limit = phases.threshold(runs[0].phase, runs[0].threshold)
    asked = [len(alignment.questions(one).keys) for one in scores]
    left_out = [(run, count - aligned.n) for run, count in zip(runs, asked, strict=True) if count > aligned.n]
    return Comparison(
        runs=runs,
        threshold=limit,
        aligned=aligned,
        base=_mean(aligned, 0, runs[0].version.dataset.suite),
        against=_against(runs, aligned, limit),
        groups=_groups(runs[0], aligned),
        left_out=left_out,
        versions=len({run.version_id for run in runs}),
        whole=not left_out and all(_all_scored(entry) for entry in entries.values()),
    )


def _all_scored(entry: BoardEntry) -> bool:
    return not entry.figures["pending"] and not entry.figures["not_scored"]


def passed(aligned: Aligned, limit: float) -> Mask:
    """Say which questions each run passes."""
    return aligned.scores >= limit - phases.SLACK


def _nothing(runs: Sequence[Run], scored: Sequence[int]) -> str:
    empty = [f"“{run.name}”" for run, count in zip(runs, scored, strict=True) if not count]
    if empty:
        return f"{' and '.join(empty)} has no scored answer, so there is nothing to compare."
    return (
        "These runs have no scored question in common: they were asked different cases, or the cases changed "
        "between the dataset versions."
    )


def _mean(aligned: Aligned, row: int, suite: str) -> Statistic:
    mean = mean_interval.measure(aligned.scores[row], clusters=aligned.clusters)
    return board_entries.bounded(mean, suite)


def _against(runs: Sequence[Run], aligned: Aligned, limit: float) -> list[Against]:
    others = range(1, len(runs))
    passes = passed(aligned, limit)
    apart = [_difference(aligned, row) for row in others]
    flips = [mcnemar.measure(passes[0].tolist(), passes[row].tolist()) for row in others]
    adjusted = holm.adjust([one.p_value for one in apart])
    flips_adjusted = holm.adjust([one.p_value for one in flips])
    return [
        Against(
            runs[row],
            _mean(aligned, row, runs[row].version.dataset.suite),
            apart[row - 1].difference,
            adjusted[row - 1],
            *_counts(aligned, row),
            flips[row - 1],
            flips_adjusted[row - 1],
        )
        for row in others
    ]


def _counts(aligned: Aligned, row: int) -> tuple[int, int, int]:
    by = np.round(aligned.scores[row] - aligned.scores[0], 12)
    better, worse = int((by > 0).sum()), int((by < 0).sum())
    return better, worse, aligned.n - better - worse


def _difference(aligned: Aligned, row: int) -> PairedDifference:
    return paired_difference.measure(aligned.scores[0], aligned.scores[row], clusters=aligned.clusters)


def _groups(base: Run, aligned: Aligned) -> dict[str, list[Group]]:
    """Put the questions into groups by what their cases say of themselves."""
    fields = ("category", "benchmark", "difficulty")
    rows = Case.objects.filter(memberships__version=base.version_id).values_list("pk", *fields)
    known = {case: values for case, *values in rows}
    labels = benchmarks.known(base.version.dataset.suite)
    found: dict[str, list[Group]] = {}
    for place, field in enumerate(fields):
        of_case = np.array([known[case][place] for case in aligned.cases.tolist()])
        names = sorted(set(of_case.tolist()), key=lambda name: _order(field, name, labels))
        found[field] = [
            _group(name, labels[name].name if name in labels else "", aligned.only(of_case == name))
            for name in names
        ]
    return {field: groups for field, groups in found.items() if len(groups) > 1 or groups[0].name}


def _group(name: str, label: str, aligned: Aligned) -> Group:
    rows = range(1, len(aligned.scores))
    apart = [Apart(_difference(aligned, row).difference, *_counts(aligned, row)[:2]) for row in rows]
    return Group(name or "not given", label, aligned.n, _means(aligned.scores), apart)


def _means(scores: Floats) -> list[float]:
    return [float(mean) for mean in scores.mean(axis=1)]


def _order(field: str, name: str, labels: Mapping[str, Any]) -> tuple[Any, ...]:
    if field == "difficulty":
        return ordering.difficulty(name)
    if field == "category":
        known = list(dict.fromkeys(one.category for one in labels.values()))
        return (known.index(name) if name in known else len(known), name)
    return (ordering.natural(name),)
