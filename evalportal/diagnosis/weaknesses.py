"""The scores of a run go in; its strengths and weaknesses come out, group by group, with intervals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from evalportal.diagnosis import abilities
from evalportal.stats import mean_interval, pass_rate
from scoring import benchmarks, diagnosis_rules, phases
from scoring.diagnosis_rules import Finding, Limits
from scoring.models import Scoring
from scoring.ordering import DIFFICULTIES
from scoring.statistic import Statistic

Standing = Literal["strength", "weakness", "like the rest", "not known"]

_LEVEL = 0.95
_CROSS_CUTTING = "(cross-cutting)"


class Outcomes(NamedTuple):
    """What the answers of a run came to, a column each; a number that is not there is NaN."""

    clusters: NDArray[np.int64]
    benchmark: NDArray[np.str_]
    category: NDArray[np.str_]
    difficulty: NDArray[np.str_]
    overall: NDArray[np.float64]
    pending: NDArray[np.bool_]
    completeness: NDArray[np.float64]
    fabricated: NDArray[np.bool_]


class Group(NamedTuple):
    """A category, a benchmark, a difficulty or the whole run."""

    name: str
    label: str
    cross_cutting: bool
    answers: int
    pending: int
    fabricated: int
    mean: Statistic
    pass_rate: Statistic
    completeness: Statistic
    standing: Standing
    findings: list[Finding]


class Grouping(NamedTuple):
    """All groups of one kind, in the order that people expect."""

    kind: str
    groups: list[Group]

    def standing(self, wanted: Standing) -> list[Group]:
        """Pick the strengths or the weaknesses, the most marked first."""
        found = [group for group in self.groups if group.standing == wanted]
        return sorted(found, key=lambda group: group.mean.value or 0.0, reverse=wanted == "strength")


class Profile:
    """What the answers of one scoring came to, to be looked at from several sides."""

    def __init__(self, scoring: Scoring, limits: Limits = diagnosis_rules.DEFAULT) -> None:
        self._run, self._limits = scoring.run, limits
        self.suite = self._run.version.dataset.suite
        self._threshold = phases.threshold(self._run.phase, self._run.threshold)
        self._outcomes = _read(scoring)
        self._known = benchmarks.known(self.suite)
        self.whole = self._group("", "", np.ones(len(self._outcomes.overall), dtype=bool), None, 1)

    def by_category(self) -> Grouping:
        """Group by category: all that the suite has, also those that the run has no answer of."""
        names = dict.fromkeys(one.category for one in self._known.values())
        return self._grouping("category", names, {})

    def by_benchmark(self) -> Grouping:
        """Group by benchmark: those that the run has answers of."""
        there = set(self._outcomes.benchmark.tolist())
        labels = {code: one.name for code, one in self._known.items()}
        return self._grouping("benchmark", [code for code in self._known if code in there], labels)

    def by_difficulty(self) -> Grouping:
        """Group by difficulty, the easiest first; there are no groups where no case says how hard it is."""
        there = set(self._outcomes.difficulty.tolist())
        if not any(there):
            return Grouping("difficulty", [])
        return self._grouping("difficulty", [name for name in DIFFICULTIES if name in there], {})

    def _grouping(self, kind: str, names: Iterable[str], labels: dict[str, str]) -> Grouping:
        column = getattr(self._outcomes, kind)
        members = list(dict.fromkeys([*names, *column.tolist()]))
        rest = self.whole.mean.value if len(members) > 1 else None
        found = [
            self._group(name, labels.get(name, ""), column == name, rest, len(members)) for name in members
        ]
        return Grouping(kind, found)

    def _group(self, name: str, label: str, members: NDArray[np.bool_], rest: float | None, of: int) -> Group:
        found = self._outcomes
        scored = members & ~np.isnan(found.overall) & ~found.pending
        overalls, clusters = found.overall[scored], found.clusters[scored]
        mean = self._bounded(mean_interval.measure(overalls, clusters=clusters))
        facts = mean_interval.measure(found.completeness[scored], clusters=clusters).clipped(0.0, 1.0)
        fabricated = int(found.fabricated[members].sum())
        return Group(
            name=name,
            label=label,
            cross_cutting=_CROSS_CUTTING in name,
            answers=int(members.sum()),
            pending=int(found.pending[members].sum()),
            fabricated=fabricated,
            mean=mean,
            pass_rate=pass_rate.measure(overalls >= self._threshold - phases.SLACK, clusters=clusters),
            completeness=facts,
            # With so many groups one would stand out by chance: the level allows for all of them.
            standing=_standing(mean_interval.measure(overalls, clusters=clusters, level=_together(of)), rest),
            findings=self._findings(mean.value, facts.value, fabricated),
        )

    def _findings(self, mean: float | None, completeness: float | None, fabricated: int) -> list[Finding]:
        """Read a group by the rules of the CCoP baseline methodology, which are for its suite alone."""
        if self.suite != "ccop":
            return []
        return diagnosis_rules.diagnose(mean, completeness, fabricated, self._limits)

    def _bounded(self, mean: Statistic) -> Statistic:
        # The combined score of the CyberSecLLM metrics alone has no bounds.
        return mean if self.suite == "cybersec" else mean.clipped(0.0, 1.0)


def _together(groups: int) -> float:
    """Give the level at which all of some intervals hold together."""
    return 1 - (1 - _LEVEL) / max(groups, 1)


def _standing(mean: Statistic, rest: float | None) -> Standing:
    if mean.value is None or mean.low is None or mean.high is None or rest is None:
        return "not known"
    return "strength" if mean.low > rest else "weakness" if mean.high < rest else "like the rest"


def _read(scoring: Scoring) -> Outcomes:
    with connection.cursor() as cursor:
        is_ccop = scoring.run.version.dataset.suite == "ccop"
        cursor.execute(_OUTCOMES, {"scoring": scoring.pk, "is_ccop": is_ccop, **abilities.FULL_NOISE})
        rows = cursor.fetchall()
    columns = list(zip(*rows, strict=True)) or [()] * len(Outcomes._fields)
    kinds = (np.int64, np.str_, np.str_, np.str_, np.float64, np.bool_, np.float64, np.bool_)
    return Outcomes(*(np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)))


# Questions of one section resemble one another; where there are no sections, a question resembles itself.
# A section becomes a number below 0, which is no case's.
# A question whose documents are all noise asks whether the model declines.
_OUTCOMES = """
SELECT CASE WHEN %(is_ccop)s AND c.section <> '' THEN -1 - abs(hashtextextended(c.section, 0) / 2)
        ELSE r.case_id END,
    CASE WHEN c.benchmark = %(noise)s AND r.noise >= 100 THEN %(rejection)s ELSE c.benchmark END,
    c.category, c.difficulty,
    s.overall, s.pending <> '', (s.values->>'key_fact_recall')::float8,
    s.fabricated AND (
        coalesce(s.details #>> '{grounding,evidence}', '{}') <> '{}'
        OR coalesce(s.details #>> '{hallucination_resistance,evidence}', '{}') <> '{}'
    )
FROM scoring_score AS s
JOIN scoring_response AS r ON r.id = s.response_id
JOIN scoring_case AS c ON c.id = r.case_id
WHERE s.scoring_id = %(scoring)s ORDER BY r.position
"""
