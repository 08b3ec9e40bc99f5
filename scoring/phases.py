"""A score and a phase go in; whether the score passes comes out."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

THRESHOLDS: Mapping[str, float] = {"baseline": 0.15, "fine-tuned": 0.50, "deployment": 0.85}
# A score that should be 0.15 may come out of its sums a hair below.
SLACK = 1e-9

_SPELLINGS = {"finetuned": "fine-tuned", "deployed": "deployment"}


class PhaseError(ValueError):
    """No such phase, or a threshold outside 0 to 1; the message says what there is."""


def phase(text: str) -> str:
    """Find a phase in any of its spellings.

    >>> phase("Fine_Tuned"), phase("BASELINE")
    ('fine-tuned', 'baseline')
    """
    spelt = text.strip().lower().replace("_", "-").replace(" ", "-")
    found = _SPELLINGS.get(spelt, spelt)
    if found not in THRESHOLDS:
        raise PhaseError(f"phase: there is no {text!r}; there are: {', '.join(THRESHOLDS)}.")
    return found


def threshold(name: str, override: float | None = None) -> float:
    """Give the phase's threshold, or the one that overrides it.

    >>> threshold("deployment"), threshold("deployment", 0.7)
    (0.85, 0.7)
    """
    if override is None:
        return THRESHOLDS[phase(name)]
    if isinstance(override, bool) or not isfinite(override) or not 0 <= override <= 1:
        raise PhaseError(f"threshold: must be between 0 and 1, not {override!r}.")
    return float(override)


def passes(score: float | None, name: str, override: float | None = None) -> bool | None:
    """Tell whether a score reaches the threshold; None where there is no score.

    >>> passes(0.1 + 0.05, "baseline"), passes(0.14, "baseline"), passes(None, "baseline")
    (True, False, None)
    """
    limit = threshold(name, override)
    return None if score is None else reaches(score, limit)


def reaches(score: float, limit: float) -> bool:
    """Compare a score with a threshold, with a little slack for rounding.

    >>> reaches(0.85 - 1e-12, 0.85), reaches(0.8499, 0.85)
    (True, False)
    """
    return score >= limit - SLACK
