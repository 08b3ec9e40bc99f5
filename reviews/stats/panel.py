"""Marks of reviewers on answers go in; a Panel, which every statistic of agreement reads, comes out.

>>> panel = gather([("a1", "clarity", "bob", 4), ("a1", "clarity", "carol", 5), ("a2", "clarity", "bob", 3)])
>>> panel.codes.tolist(), panel.answers, panel.reviewers
([[[3, 4]], [[2, -1]]], ('a1', 'a2'), ('bob', 'carol'))
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, compress
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mark = tuple[Hashable, Hashable, Hashable, float | None]

SCALE = (1.0, 2.0, 3.0, 4.0, 5.0)
NOT_MARKED = -1


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Who gave what: `codes` is answers x criteria x reviewers, each a place on the scale or NOT_MARKED.

    `weights`, one for each answer, say how many answers it stands for where some were likelier to be
    drawn than others (1 / inclusion probability). `times` is there once answers with the same marks have
    been put together, and says how many each of them was.
    """

    codes: NDArray[np.int8]
    answers: tuple[Hashable, ...]
    criteria: tuple[Hashable, ...]
    reviewers: tuple[Hashable, ...]
    scale: tuple[float, ...]
    weights: Array
    times: NDArray[np.intp] | None = None

    def of_criterion(self, criterion: Hashable) -> Panel:
        """Keep one criterion."""
        at = self.criteria.index(criterion)
        return replace(self, codes=self.codes[:, at : at + 1], criteria=(criterion,))

    def of_reviewers(self, *reviewers: Hashable) -> Panel:
        """Keep some reviewers, in that order, and the answers that one of them marked."""
        at = [self.reviewers.index(reviewer) for reviewer in reviewers]
        kept = replace(self, codes=self.codes[:, :, at], reviewers=reviewers)
        return kept.of_answers((kept.codes != NOT_MARKED).any(axis=(1, 2)))

    def of_answers(self, keep: NDArray[np.bool_]) -> Panel:
        """Keep some answers, such as those of one benchmark."""
        names = tuple(compress(self.answers, keep.tolist()))
        return replace(self, codes=self.codes[keep], answers=names, weights=self.weights[keep])

    def pairs(self) -> list[tuple[Hashable, Hashable]]:
        """List the pairs of reviewers who marked an answer in common."""
        marked = (self.codes != NOT_MARKED).any(axis=1).astype(float)
        common = marked.T @ marked
        places = combinations(range(len(self.reviewers)), 2)
        return [(self.reviewers[i], self.reviewers[j]) for i, j in places if common[i, j]]

    def alike(self) -> Panel:
        """Put answers with the same marks and weight together: statistics are the same, and sooner there."""
        if not self.answers:
            return self
        marks = np.ascontiguousarray(self.codes.reshape(len(self.codes), -1))
        rows = np.hstack([marks.view(np.uint8), self.weights[:, None].view(np.uint8)])
        kinds = np.ascontiguousarray(rows).view(f"V{rows.shape[1]}").ravel()
        _, first, times = np.unique(kinds, return_index=True, return_counts=True)
        answers = tuple(self.answers[at] for at in first)
        return replace(
            self, codes=self.codes[first], answers=answers, weights=self.weights[first], times=times
        )

    def counts(self) -> Array:
        """Count the marks of every answer and criterion: answers x criteria x places on the scale."""
        steps = len(self.scale)
        one = np.vstack(
            [np.eye(steps), np.zeros(steps)]
        )  # NOT_MARKED takes the last row, which counts nothing.
        counts = np.zeros((*self.codes.shape[:2], steps))
        for reviewer in range(self.codes.shape[2]):
            counts += one[self.codes[:, :, reviewer]]
        return counts

    def in_common(self) -> int:
        """Count the answers that two reviewers marked by the same criterion."""
        common = ((self.codes != NOT_MARKED).sum(axis=2) >= 2).any(axis=1)
        return int(common.sum() if self.times is None else common @ self.times)


def gather(
    marks: Iterable[Mark],
    *,
    scale: Sequence[float] = SCALE,
    weights: Mapping[Any, float] | None = None,
) -> Panel:
    """Make a panel of (answer, criterion, reviewer, mark); a mark of None is a missing one.

    Answers, criteria and reviewers stand in the order in which they first appear.
    """
    steps = _steps(scale)
    answers: dict[Hashable, int] = {}
    criteria: dict[Hashable, int] = {}
    reviewers: dict[Hashable, int] = {}
    found: dict[tuple[int, int, int], int] = {}
    for answer, criterion, reviewer, mark in marks:
        place = (
            answers.setdefault(answer, len(answers)),
            criteria.setdefault(criterion, len(criteria)),
            reviewers.setdefault(reviewer, len(reviewers)),
        )
        if place in found:
            raise ValueError(f"{reviewer} marked {answer} twice by {criterion}.")
        found[place] = _code(mark, steps)
    codes = np.full((len(answers), len(criteria), len(reviewers)), NOT_MARKED, dtype=np.int8)
    if found:
        codes[tuple(np.array(list(found)).T)] = list(found.values())
    given = np.array([1.0 if weights is None else weights[answer] for answer in answers])
    return Panel(codes, tuple(answers), tuple(criteria), tuple(reviewers), tuple(steps), _checked(given))


def table(rows: Sequence[Sequence[float | None]], *, scale: Sequence[float] = SCALE) -> Panel:
    """Make a panel of one criterion: a row for each answer, a column for each reviewer."""
    marks = ((i, "", j, mark) for i, row in enumerate(rows) for j, mark in enumerate(row))
    return gather(marks, scale=scale)


def _steps(scale: Sequence[float]) -> dict[float, int]:
    if len(scale) < 2 or len(scale) > 100 or sorted(set(scale)) != list(scale):
        raise ValueError(f"A scale has 2 to 100 steps in ascending order, not {scale!r}.")
    return {float(step): place for place, step in enumerate(scale)}


def _code(mark: float | None, steps: dict[float, int]) -> int:
    if mark is None:
        return NOT_MARKED
    if mark not in steps:
        raise ValueError(f"{mark!r} is not on the scale {', '.join(f'{step:g}' for step in steps)}.")
    return steps[mark]


def _checked(weights: Array) -> Array:
    if not all(isfinite(weight) and weight > 0 for weight in weights):
        raise ValueError("Weights must be positive numbers.")
    return weights
