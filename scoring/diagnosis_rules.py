"""A score, its completeness and its fabrications go in; what they say of the model comes out."""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["unsafe", "verbosity", "knowledge gap", "unclear", "sound"]


class Limits(NamedTuple):
    """Below which overall is low, and from which completeness is high."""

    low_overall: float = 0.50
    high_completeness: float = 0.60


class Finding(NamedTuple):
    """One thing that the numbers say, and the numbers that say it."""

    kind: Kind
    title: str
    why: str


DEFAULT = Limits()


def diagnose(
    overall: float | None, completeness: float | None, fabrications: int = 0, limits: Limits = DEFAULT
) -> list[Finding]:
    """Read a case, a benchmark, a category or a run; fabrication comes first, whatever the score.

    >>> [finding.title for finding in diagnose(0.4, 0.7)]
    ['Verbosity or weak precision']
    >>> [finding.kind for finding in diagnose(0.3, 0.2, fabrications=1)]
    ['unsafe', 'knowledge gap']
    """
    found = [_unsafe(fabrications)] if fabrications else []
    if overall is not None:
        found.append(_reading(overall, completeness, limits))
    return found


def _unsafe(fabrications: int) -> Finding:
    responses = "1 response makes" if fabrications == 1 else f"{fabrications} responses make"
    return Finding("unsafe", "Unsafe: makes up regulation", f"{responses} up claims or clauses of the Code.")


def _reading(overall: float, completeness: float | None, limits: Limits) -> Finding:
    if overall >= limits.low_overall:
        return Finding("sound", "Not low", f"Overall {overall:.2f} is at least {limits.low_overall:.2f}.")
    low = f"Overall {overall:.2f} is below {limits.low_overall:.2f}"
    if completeness is None:
        return Finding("unclear", "Low, for an unknown reason", f"{low}, and completeness is not known.")
    if completeness >= limits.high_completeness:
        why = f"{low}, yet completeness {completeness:.2f} is at least {limits.high_completeness:.2f}."
        return Finding("verbosity", "Verbosity or weak precision", why)
    why = f"{low}, and completeness {completeness:.2f} is below {limits.high_completeness:.2f}."
    return Finding("knowledge gap", "Knowledge or reasoning gap", why)
