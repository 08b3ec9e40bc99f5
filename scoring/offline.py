"""Answers made elsewhere go in as JSON lines; the same lines with every metric and its evidence come out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from scoring import measuring
from scoring.measurement import Embed
from scoring.rows import Benchmark, RowError
from scoring.suite_contract import Suite

# Under these names a line may give the id of its case, and the answer.
IDS = ("test_id", "case_id", "id", "key")
ANSWERS = ("response", "content", "output")
Find = Callable[[str], Mapping[str, Any] | None]


class Scored(NamedTuple):
    """One line's outcome: its scores, or what is wrong with it."""

    line: int
    output: dict[str, Any]
    problem: str


class LineError(ValueError):
    """A line that cannot be scored, and why."""


class Scorer:
    """Scores lines of one suite; cases come whole with their line, or are found by their id."""

    def __init__(
        self, suite: Suite, benchmarks: Mapping[str, Benchmark], threshold: float, embed: Embed, find: Find
    ) -> None:
        self._suite, self._benchmarks, self._threshold = suite, benchmarks, threshold
        self._embed, self._find = embed, find

    def score(self, lines: Iterable[str]) -> Iterator[Scored]:
        """Score line after line; a bad line is told, never skipped in silence."""
        for number, line in enumerate(lines, start=1):
            if line.strip():
                try:
                    yield Scored(number, self._scored(line), "")
                except LineError as error:
                    yield Scored(number, {"line": number, "error": str(error)}, str(error))

    def _scored(self, line: str) -> dict[str, Any]:
        row = _row(line)
        response = _response(row)
        fields = self._fields(row)
        try:
            case = self._suite.read(fields, self._benchmarks)
        except RowError as error:
            raise LineError(f"The case is wrong: {error}.") from error
        known = {"noise": _noise(row), "siblings": row.get("siblings") or (), "marks": row.get("marks") or ()}
        result = measuring.measure(
            self._suite,
            case.fields,
            self._benchmarks[case.benchmark],
            response,
            threshold=self._threshold,
            embed=self._embed,
            **known,
        )
        return {"id": case.key, "benchmark": case.benchmark, "response": response, **result.as_dict()}

    def _fields(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        if isinstance(row.get("case"), dict):
            return dict(row["case"])
        if any(name in row for name in ("question", "query")):
            known = {*ANSWERS, "siblings", "marks", "noise"}
            return {name: value for name, value in row.items() if name not in known}
        key = next((str(row[name]) for name in IDS if name in row), "")
        if not key:
            raise LineError(f"It names no case: give one of {', '.join(IDS)}, or the whole case.")
        fields = self._find(key)
        if fields is None:
            raise LineError(f"No case {key!r} is known: name its dataset, or give the whole case.")
        return fields


def _row(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise LineError(f"It is not JSON: {error}.") from None
    if not isinstance(row, dict):
        raise LineError("It is not a JSON object.")
    return row


def _response(row: Mapping[str, Any]) -> str:
    name = next((name for name in ANSWERS if name in row), "")
    if not name:
        raise LineError(f"It has no answer: give one of {', '.join(ANSWERS)}.")
    if not isinstance(row[name], str):
        raise LineError(f"{name}: it must be text, not {type(row[name]).__name__}.")
    return str(row[name])


def _noise(row: Mapping[str, Any]) -> float:
    noise = row.get("noise", 0.0)
    if isinstance(noise, bool) or not isinstance(noise, int | float) or not 0 <= noise <= 1:
        raise LineError("noise: it must be a number from 0 to 1.")
    return float(noise)
