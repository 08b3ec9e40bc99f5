"""Logits or log-probabilities go in; entropies, likelihoods and divergences, in nats, come out.

Logits may be numpy arrays, torch tensors or lists: one row of the vocabulary per position, or a batch of
one. Whatever is not a number is refused by the name of its field, so that no NaN gets into a score.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# A row of a large vocabulary takes a megabyte in double precision: a few rows at a time will do.
_ROWS_AT_ONCE = 32
# Servers round: a log-probability may come out a little above zero.
_ROUNDING = 1e-3


class TokenScoresError(ValueError):
    """Token scores that cannot be read; the message names the field."""


class EntropyBounds(NamedTuple):
    """What the likeliest tokens leave open: the mass outside them may fall on one token or on many."""

    least: Floats
    most: Floats


def mean(values: Floats) -> float:
    """Average with exact summation, so that the order of the positions does not matter."""
    return math.fsum(values.tolist()) / len(values)


def read_logprobs(values: Any, field: str) -> Floats:
    """Check the log-probabilities of the chosen tokens, or of one position's likeliest ones.

    >>> read_logprobs([-0.5, float("nan")], "logprobs")
    Traceback (most recent call last):
    scoring.language.distributions.TokenScoresError: logprobs[1] is nan, not a log-probability.
    """
    array = _plain(values, field).astype(np.float64)
    if array.ndim != 1:
        raise TokenScoresError(f"{field} must be a list of numbers.")
    wrong = np.flatnonzero(~(np.isfinite(array) & (array <= _ROUNDING)))
    if wrong.size:
        raise TokenScoresError(f"{field}[{wrong[0]}] is {array[wrong[0]]:g}, not a log-probability.")
    return np.minimum(array, 0.0)


def read_nats(values: Any, field: str) -> Floats:
    """Check entropies or divergences that were found elsewhere, one per position."""
    array = _plain(values, field).astype(np.float64)
    if array.ndim != 1:
        raise TokenScoresError(f"{field} must be a list of numbers.")
    wrong = np.flatnonzero(~(np.isfinite(array) & (array >= -_ROUNDING)))
    if wrong.size:
        raise TokenScoresError(f"{field}[{wrong[0]}] is {array[wrong[0]]:g}, not a number of nats.")
    return np.maximum(array, 0.0)


def read_logits(values: Any, field: str) -> NDArray[Any]:
    """Check logits and give them as rows; minus infinity, a token that is ruled out, is allowed."""
    array = _plain(values, field)
    if array.ndim == 3 and array.shape[0] == 1:
        array = array[0]
    if array.ndim != 2:
        raise TokenScoresError(f"{field} must be one row of the vocabulary per position.")
    for start in range(0, len(array), _ROWS_AT_ONCE):
        _check_rows(array[start : start + _ROWS_AT_ONCE], start, field)
    return array


def log_softmax(logits: NDArray[Any]) -> Iterator[Floats]:
    """Turn checked logits into log-probabilities, a few rows at a time."""
    for start in range(0, len(logits), _ROWS_AT_ONCE):
        rows = logits[start : start + _ROWS_AT_ONCE].astype(np.float64)
        rows -= rows.max(axis=1, keepdims=True)
        yield rows - np.log(np.exp(rows).sum(axis=1, keepdims=True))


def entropies(logits: NDArray[Any]) -> Floats:
    """Give the entropy of each position.

    >>> entropies(np.zeros((2, 4))).round(4).tolist()
    [1.3863, 1.3863]
    """
    return _joined(_expected(rows, -rows) for rows in log_softmax(logits))


def divergences(tuned: NDArray[Any], base: NDArray[Any]) -> Floats:
    """Give KL(tuned || base) of each position: infinite where the base rules out a possible token.

    >>> divergences(np.log([[0.5, 0.5]]), np.log([[0.25, 0.75]])).round(4).tolist()
    [0.1438]
    """
    if tuned.shape != base.shape:
        raise TokenScoresError(f"logits has the shape {tuned.shape}, base_logits {base.shape}.")
    pairs = zip(log_softmax(tuned), log_softmax(base), strict=True)
    with np.errstate(invalid="ignore"):
        return _joined(_expected(rows, rows - others) for rows, others in pairs)


def chosen_logprobs(logits: NDArray[Any], token_ids: Sequence[int]) -> Floats:
    """Pick the log-probability of each position's own token."""
    ids = np.asarray(token_ids, np.int64)
    if ids.shape != (len(logits),):
        raise TokenScoresError(f"token_ids has {ids.size} tokens, logits has {len(logits)} positions.")
    if ids.size and not (ids.min() >= 0 and ids.max() < logits.shape[1]):
        raise TokenScoresError(f"token_ids must lie between 0 and {logits.shape[1] - 1}.")
    rows = itertools.chain.from_iterable(log_softmax(logits))
    return np.array([row[token] for row, token in zip(rows, ids, strict=True)])


def top_entropies(rows: Sequence[Sequence[float]], vocabulary: int, field: str) -> EntropyBounds:
    """Bound the entropy of each position that has top log-probabilities; the others are left out.

    >>> bounds = top_entropies([[math.log(0.5), math.log(0.3)]], vocabulary=4, field="top_logprobs")
    >>> bounds.least.round(4).tolist(), bounds.most.round(4).tolist()
    ([1.0297], [1.1683])
    """
    listed = [read_logprobs(row, f"{field}[{index}]") for index, row in enumerate(rows) if len(row)]
    known = np.array([-np.exp(row) @ row for row in listed])
    rest = np.array([max(0.0, 1.0 - np.exp(row).sum()) for row in listed])
    # The mass outside the list, as one more token, or spread over the whole of the vocabulary.
    least = known - rest * np.log(np.where(rest > 0, rest, 1.0))
    spread = np.log(np.array([max(vocabulary - len(row), 1) for row in listed]))
    return EntropyBounds(least, least + rest * spread)


def _expected(rows: Floats, values: Floats) -> Floats:
    """Average values by the probabilities of their tokens; what cannot happen does not count."""
    chances = np.exp(rows)
    result: Floats = np.sum(chances * np.where(chances > 0, values, 0.0), axis=1)
    # Neither an entropy nor a divergence is negative, but its rounding may be.
    return np.maximum(result, 0.0)


def _joined(parts: Iterable[Floats]) -> Floats:
    return np.concatenate([np.empty(0), *parts])


def _check_rows(rows: NDArray[Any], start: int, field: str) -> None:
    wrong = np.argwhere(np.isnan(rows) | np.isposinf(rows))
    if wrong.size:
        row, token = wrong[0]
        raise TokenScoresError(f"{field}[{start + row}][{token}] is {rows[row, token]:g}, not a logit.")
    if (empty := np.flatnonzero(np.isneginf(rows).all(axis=1))).size:
        raise TokenScoresError(f"{field}[{start + empty[0]}] rules every token out.")


def _plain(values: Any, field: str) -> NDArray[Any]:
    """Bring a torch tensor, on any device and of any precision, or a list to numpy."""
    if hasattr(values, "detach"):
        values = values.detach().float().cpu().numpy()
    try:
        array = np.asarray(values)
        return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TokenScoresError(f"{field} must hold numbers only, in rows of one length.") from error
