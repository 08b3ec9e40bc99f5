"""A server's log-probabilities go in; AnswerScores come out, or None and a sentence why."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from scoring.gateway_contract import AnswerScores
from scoring.wire.cleaning import clean

# Servers compute in single precision: more digits would fill the database with noise.
_DIGITS = 6
_ROUNDING = 1e-3
_LEAST = -1e300
_UNREADABLE = "The server's log-probabilities are not all numbers below zero; they were left out."
_UNREADABLE_TOP = "The server's top log-probabilities are not all numbers below zero; they were left out."

Read = tuple[AnswerScores | None, tuple[str, ...]]


def read(choice: Any, vocabulary: int | None) -> Read:
    """Read what OpenAI's chat and completion interfaces and Ollama call `logprobs`."""
    if isinstance(choice, dict) and isinstance(choice.get("token_logprobs"), list):
        listed = [_values(row) for row in _list(choice.get("top_logprobs"))]
        return scores(choice["token_logprobs"], listed, vocabulary)
    entries = choice.get("content") if isinstance(choice, dict) else choice
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        return None, ()
    rows = [[_logprob(top) for top in _list(entry.get("top_logprobs"))] for entry in entries]
    return scores([_logprob(entry) for entry in entries], rows, vocabulary)


def texts(choice: Any) -> list[str] | None:
    """Read the texts of the tokens that are scored, where each has one."""
    if isinstance(choice, dict) and isinstance(choice.get("token_logprobs"), list):
        found = choice.get("tokens")
    else:
        entries = choice.get("content") if isinstance(choice, dict) else choice
        found = [_part(entry, "token") for entry in entries] if isinstance(entries, list) else None
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        return None
    return [clean(text)[0] for text in found]


def of_the_answer(given: AnswerScores, pieces: Sequence[str], said: str) -> slice | None:
    """Find the tokens that make an answer up, among those of the reasoning before and of marks around it."""
    words, whole = said.strip(), "".join(pieces)
    start = whole.rfind(words)
    if len(pieces) != len(given.logprobs or ()) or start < 0:
        return None
    ends = list(accumulate(map(len, pieces)))
    return slice(bisect_right(ends, start), bisect_left(ends, start + len(words)) + 1)


def only(given: AnswerScores, kept: slice) -> AnswerScores:
    """Keep the scores of some of the tokens."""
    tops = given.top_logprobs[kept] if given.top_logprobs is not None else None
    return replace(given, logprobs=(given.logprobs or ())[kept], top_logprobs=tops)


def scores(chosen: Sequence[Any], rows: Sequence[Sequence[Any]], vocabulary: int | None) -> Read:
    """Check the chosen tokens' log-probabilities and, one row per token, the likeliest ones'."""
    if not all(_is_logprob(value) for value in chosen):
        return None, (_UNREADABLE,)
    logprobs = _rounded(chosen)
    if not any(rows):
        return AnswerScores(logprobs=logprobs, vocabulary=vocabulary), ()
    # A token that is ruled out has no share in anything.
    possible = [[value for value in row if value != -math.inf] for row in rows]
    if len(rows) != len(chosen) or not all(_is_logprob(value) for row in possible for value in row):
        return AnswerScores(logprobs=logprobs, vocabulary=vocabulary), (_UNREADABLE_TOP,)
    tops = [_rounded(row) for row in possible]
    return AnswerScores(logprobs=logprobs, top_logprobs=tops, vocabulary=vocabulary), ()


def _is_logprob(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return _LEAST <= value <= _ROUNDING


def _rounded(values: Sequence[Any]) -> list[float]:
    return [round(min(float(value), 0.0), _DIGITS) for value in values]


def _logprob(entry: Any) -> Any:
    return _part(entry, "logprob")


def _part(entry: Any, name: str) -> Any:
    return entry.get(name) if isinstance(entry, dict) else None


def _values(row: Any) -> list[Any]:
    return list(row.values()) if isinstance(row, dict) else []


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
