"""A comparison goes in; the questions to read first come out, and the answers to one of them side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from evalportal import comparison
from evalportal.comparison import Comparison
from scoring import differences
from scoring.differences import Piece
from scoring.language.text import without_reasoning
from scoring.models import Case, Response, Run, Score, Scoring

MOST = 12
MOST_FLIPS = 100


class Reading(NamedTuple):
    """A question worth reading: what each run scored on it, and whether it passed."""

    case: Case
    noise: int
    scores: Sequence[float]
    passed: Sequence[bool]
    apart: float


class Answer(NamedTuple):
    """One run's answer; `pieces` shows it against the first run's, word by word."""

    run: Run
    response: Response | None
    score: Score | None
    text: str
    pieces: Sequence[Piece]


def first(found: Comparison, most: int = MOST) -> list[Reading]:
    """Choose the questions on which the runs are furthest apart; none where they score the same."""
    apart = np.ptp(found.aligned.scores, axis=0)
    flips = np.ptp(comparison.passed(found.aligned, found.threshold).astype(np.int8), axis=0)
    order = np.lexsort((found.aligned.cases, -flips, -np.round(apart, 9)))
    return _readings(found, [place for place in order[:most].tolist() if apart[place] > 0])


def flipped(found: Comparison, row: int, most: int = MOST_FLIPS) -> dict[str, list[Reading]]:
    """List what passes in one run and not in the first, and the other way round, the widest apart first."""
    passed = comparison.passed(found.aligned, found.threshold)
    by = found.aligned.scores[row] - found.aligned.scores[0]
    chosen = {"gained": passed[row] & ~passed[0], "lost": passed[0] & ~passed[row]}
    places = {name: np.flatnonzero(mask) for name, mask in chosen.items()}
    ordered = {name: at[np.argsort(-np.abs(by[at]), kind="stable")][:most] for name, at in places.items()}
    return {name: _readings(found, at.tolist()) for name, at in ordered.items()}


def answers(scorings: Sequence[Scoring], case: Case, noise: int) -> list[Answer]:
    """Put the first answer of each run to a question side by side."""
    runs = [scoring.run for scoring in scorings]
    found = Response.objects.filter(run__in=runs, case=case, noise=noise).order_by("run_id", "sample")
    responses = {response.run_id: response for response in found.distinct("run_id")}
    scores = {score.response_id: score for score in _scores(scorings, responses.values())}
    texts = {key: without_reasoning(response.content) for key, response in responses.items()}
    base = texts.get(runs[0].pk, "")
    return [
        Answer(
            run,
            responses.get(run.pk),
            scores.get(responses[run.pk].pk) if run.pk in responses else None,
            texts.get(run.pk, ""),
            differences.pieces(base, texts.get(run.pk, "")) if run.pk != runs[0].pk else (),
        )
        for run in runs
    ]


def _scores(scorings: Sequence[Scoring], responses: Iterable[Response]) -> Iterable[Score]:
    return Score.objects.filter(scoring__in=scorings, response__in=responses).defer("details")


def _readings(found: Comparison, places: Sequence[int]) -> list[Reading]:
    aligned = found.aligned
    passed = comparison.passed(aligned, found.threshold)
    wanted = {int(aligned.cases[place]) for place in places}
    cases = Case.objects.only("key", "benchmark", "category", "difficulty", "question").in_bulk(wanted)
    return [
        Reading(
            cases[int(aligned.cases[place])],
            int(aligned.noises[place]),
            aligned.scores[:, place].tolist(),
            passed[:, place].tolist(),
            float(np.ptp(aligned.scores[:, place])),
        )
        for place in places
    ]
