"""The scores of a run go in; its strengths and weaknesses come out, group by group, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from django.db import connection

from evalportal.diagnosis import abilities
from evalportal.stats import mean_interval, pass_rate
from scoring import benchmarks, diagnosis_rules, phases
from scoring.diagnosis_rules import Finding, Limits
from scoring.models import Scoring
from scoring.statistic import Statistic

Standing = Literal["strength", "weakness", "like the rest", "not known"]

_LEVEL = 0.95
_DIFFICULTIES = ("Low", "Medium", "High", "Critical")
_CROSS_CUTTING = "(cross-cutting)"


class Outcome(NamedTuple):
    """What one answer came to."""

    case: int
    section: str
    benchmark: str
    category: str
    difficulty: str
    overall: float | None
    pending: str
    completeness: float | None
    fabricated: bool

    @property
    def counts(self) -> bool:
        return self.overall is not None and not self.pending


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
        self.outcomes = _read(scoring)
        self._known = benchmarks.known(self.suite)
        self.whole = self._group("", "", self.outcomes, None, 1)

    def by_category(self) -> Grouping:
        """Group by category: all that the suite has, also those that the run has no answer of."""
        names = dict.fromkeys(one.category for one in self._known.values())
        return self._grouping("category", names, {})

    def by_benchmark(self) -> Grouping:
        """Group by benchmark: those that the run has answers of."""
        there = {outcome.benchmark for outcome in self.outcomes}
        labels = {code: one.name for code, one in self._known.items()}
        return self._grouping("benchmark", [code for code in self._known if code in there], labels)

    def by_difficulty(self) -> Grouping:
        """Group by difficulty, the easiest first; there are no groups where no case says how hard it is."""
        there = {outcome.difficulty for outcome in self.outcomes}
        if not any(there):
            return Grouping("difficulty", [])
        return self._grouping("difficulty", [name for name in _DIFFICULTIES if name in there], {})

    def _grouping(self, kind: str, names: Iterable[str], labels: dict[str, str]) -> Grouping:
        members: dict[str, list[Outcome]] = {name: [] for name in names}
        for outcome in self.outcomes:
            members.setdefault(getattr(outcome, kind), []).append(outcome)
        rest = self.whole.mean.value if len(members) > 1 else None
        found = [
            self._group(name, labels.get(name, ""), group, rest, len(members))
            for name, group in members.items()
        ]
        return Grouping(kind, found)

    def _group(
        self, name: str, label: str, outcomes: Sequence[Outcome], rest: float | None, of: int
    ) -> Group:
        scored = [outcome for outcome in outcomes if outcome.counts]
        overalls = [outcome.overall for outcome in scored]
        clusters = [outcome.section or outcome.case for outcome in scored]
        mean = self._bounded(mean_interval.measure(overalls, clusters=clusters))
        passed = [phases.reaches(overall, self._threshold) for overall in overalls if overall is not None]
        facts = [outcome.completeness for outcome in scored]
        completeness = mean_interval.measure(facts, clusters=clusters).clipped(0.0, 1.0)
        fabricated = sum(outcome.fabricated for outcome in outcomes)
        return Group(
            name=name,
            label=label,
            cross_cutting=_CROSS_CUTTING in name,
            answers=len(outcomes),
            pending=sum(bool(outcome.pending) for outcome in outcomes),
            fabricated=fabricated,
            mean=mean,
            pass_rate=pass_rate.measure(passed, clusters=clusters),
            completeness=completeness,
            # With so many groups one would stand out by chance: the level allows for all of them.
            standing=_standing(mean_interval.measure(overalls, clusters=clusters, level=_together(of)), rest),
            findings=self._findings(mean.value, completeness.value, fabricated),
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


def _read(scoring: Scoring) -> list[Outcome]:
    with connection.cursor() as cursor:
        is_ccop = scoring.run.version.dataset.suite == "ccop"
        cursor.execute(_OUTCOMES, {"scoring": scoring.pk, "is_ccop": is_ccop, **abilities.FULL_NOISE})
        return [Outcome(*row) for row in cursor.fetchall()]


# Questions of one section resemble one another; where there are no sections, a question resembles itself.
# A question whose documents are all noise asks whether the model declines.
_OUTCOMES = """
SELECT r.case_id, CASE WHEN %(is_ccop)s THEN c.section ELSE '' END,
    CASE WHEN c.benchmark = %(noise)s AND r.noise >= 100 THEN %(rejection)s ELSE c.benchmark END,
    c.category, c.difficulty,
    s.overall, s.pending, (s.values->>'key_fact_recall')::float8,
    s.fabricated AND (
        coalesce(s.details #>> '{grounding,evidence}', '{}') <> '{}'
        OR coalesce(s.details #>> '{hallucination_resistance,evidence}', '{}') <> '{}'
    )
FROM scoring_score AS s
JOIN scoring_response AS r ON r.id = s.response_id
JOIN scoring_case AS c ON c.id = r.case_id
WHERE s.scoring_id = %(scoring)s ORDER BY r.position
"""
