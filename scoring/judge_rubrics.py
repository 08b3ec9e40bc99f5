"""A suite goes in; the rubric that its judge marks by comes out, from whoever keeps the rubrics.

People mark by the same rubrics, so they are kept where people mark, in an app above this one. Their keeper
makes itself known here when the portal starts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from scoring.judging import Criterion

# Answers of the other suites are right or wrong by rule, and need no opinion.
JUDGED_SUITES = frozenset({"ccop", "cybersec"})


class JudgeRubric(NamedTuple):
    """A version of a rubric, as the judge is given it."""

    kind: str
    version: int
    criteria: tuple[Criterion, ...]

    @property
    def label(self) -> str:
        return f"{self.kind} {self.version}"

    @property
    def plain(self) -> dict[str, Any]:
        """Give it as a run keeps it."""
        return {"kind": self.kind, "version": self.version, "criteria": self.asked}

    @property
    def asked(self) -> list[dict[str, Any]]:
        """Give the criteria as a verdict keeps them."""
        return [criterion._asdict() for criterion in self.criteria]


Keeper = Callable[[str], JudgeRubric]
_keepers: list[Keeper] = []


def keep(keeper: Keeper) -> None:
    """Make known who gives out rubrics: the newest of a suite, which nobody changes from then on."""
    _keepers[:] = [keeper]


def use(suite: str) -> JudgeRubric:
    """Take the newest rubric of a suite, for a run that starts."""
    (keeper,) = _keepers
    return keeper(suite)


def read(kept: Mapping[str, Any]) -> JudgeRubric:
    """Read a rubric as a run keeps it."""
    return JudgeRubric(kept["kind"], kept["version"], tuple(Criterion(**one) for one in kept["criteria"]))
