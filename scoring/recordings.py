"""Lines of JSON go in, {(case, sample, noise): answer} comes out, or every bad line with its reason."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from scoring.gateway_contract import AnswerScores
from scoring.wire import token_scores
from scoring.wire.cleaning import clean, count_of

_MOST_PROBLEMS = 1000
_KEYS = ("test_id", "id", "key")


class Place(NamedTuple):
    """Which answer it is; noise is None where the recording does not tell levels apart."""

    case_key: str
    sample: int = 1
    noise: float | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """An answer that a model gave elsewhere."""

    content: str
    notes: tuple[str, ...] = ()
    finish_reason: str = ""
    completion_tokens: int | None = None
    tokens: AnswerScores | None = None


class Problem(NamedTuple):
    """A line that cannot be used, by its number from 1, and why."""

    line: int
    reason: str


class RecordingError(ValueError):
    """Lines that cannot be used; `problems` lists them, the first thousand at most."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(
            f"{len(problems)} lines cannot be used; line {problems[0].line}: {problems[0].reason}"
        )
        self.problems = problems


def read(lines: Iterable[str | bytes]) -> dict[Place, Recorded]:
    """Read rows of `test_id` (or `id` or `key`), `response` and, where there are many, `sample` and `noise`.

    A row may also hold `finish_reason`, `completion_tokens`, `logprobs`, `top_logprobs` and `vocabulary`.

    >>> read(['{"test_id": "B1-001", "response": "Yes."}'])[Place("B1-001")].content
    'Yes.'
    """
    answers: dict[Place, Recorded] = {}
    problems: list[Problem] = []
    for number, line in enumerate(lines, 1):
        try:
            _add(answers, _row(line))
        except _UnusableError as error:
            problems.append(Problem(number, f"{error}."))
            if len(problems) == _MOST_PROBLEMS:
                break
    if problems or not answers:
        raise RecordingError(problems or [Problem(1, "there is no row at all.")])
    return answers


def lines(text: str) -> list[str]:
    """Split at line feeds alone: JSON may hold the other characters that Python takes for ends of lines.

    >>> lines('{"id": 1}\\r\\n{"id": "two\\u2028"}\\n')
    ['{"id": 1}', '{"id": "two\\u2028"}', '']
    """
    return [line.removesuffix("\r") for line in text.split("\n")]


class _UnusableError(ValueError):
    """Why a row cannot be used."""


def _add(answers: dict[Place, Recorded], row: Mapping[str, Any] | None) -> None:
    if row is None:
        return
    place = _place(row)
    if place in answers:
        raise _UnusableError("the same case, sample and noise level came before")
    answers[place] = _answer(row)


def _row(line: str | bytes) -> Mapping[str, Any] | None:
    try:
        text = line.decode("utf-8-sig") if isinstance(line, bytes) else line.removeprefix("\ufeff")
        row = json.loads(text) if text.strip() else None
    except UnicodeDecodeError:
        raise _UnusableError("it is not UTF-8") from None
    except (ValueError, RecursionError):
        raise _UnusableError("it is not JSON") from None
    if row is not None and not isinstance(row, dict):
        raise _UnusableError("it is not a JSON object")
    return row


def _place(row: Mapping[str, Any]) -> Place:
    key = next((row[name] for name in _KEYS if name in row), None)
    sample, noise = row.get("sample", 1), row.get("noise")
    if isinstance(key, bool) or not isinstance(key, str | int) or not str(key).strip():
        raise _UnusableError("it needs a test_id (or id, or key)")
    if isinstance(sample, bool) or not isinstance(sample, int) or sample < 1:
        raise _UnusableError("sample must be a whole number from 1 up")
    if noise is not None and not (_is_number(noise) and 0 <= noise <= 1):
        raise _UnusableError("noise must be a number from 0 to 1")
    return Place(str(key).strip(), sample, None if noise is None else float(noise))


def _answer(row: Mapping[str, Any]) -> Recorded:
    if not isinstance(row.get("response"), str):
        raise _UnusableError("response must be a text, which may be empty")
    content, notes = clean(row["response"])
    scores, remarks = _scores(row)
    if remarks:
        raise _UnusableError(
            "logprobs and top_logprobs must hold numbers below zero, one or one list per token"
        )
    reason = row.get("finish_reason")
    return Recorded(
        content=content,
        notes=notes,
        finish_reason=clean(reason[:40])[0] if isinstance(reason, str) else "",
        completion_tokens=count_of(row.get("completion_tokens")),
        tokens=scores,
    )


def _scores(row: Mapping[str, Any]) -> token_scores.Read:
    if row.get("logprobs") is None:
        return None, ()
    tops = row.get("top_logprobs") or []
    if not isinstance(row["logprobs"], list) or not all(isinstance(top, list) for top in tops):
        return None, ("unreadable",)
    return token_scores.scores(row["logprobs"], tops, count_of(row.get("vocabulary")))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
