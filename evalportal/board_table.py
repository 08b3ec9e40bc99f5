"""A leaderboard goes in; its rows come out as a table of plain values, which every format takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalportal.exports.tables import Column, Table
from evalportal.leaderboard import Board, Row

_ENDS = ("value", "low", "high", "n")
_TEXT = (
    "tied", "not_ranked_because", "name", "model", "dataset", "phase", "gate_met", "state", "finished_at",
)  # fmt: skip
_WHOLE = (
    "rank", "run", "version", "overall_n", "pass_rate_n", "tier3_corrected_n", "tier3_judged",
    "tier3_validated", "review_items", "review_items_done", "agreement_n", "pending", "not_scored", "failed",
    "fabricated",
)  # fmt: skip
_HEAD = (
    "rank", "tied", "not_ranked_because", "run", "name", "model", "dataset", "version", "phase", "threshold",
    "overall", "overall_low", "overall_high", "overall_n",
    "pass_rate", "pass_rate_low", "pass_rate_high", "pass_rate_n",
    "tier3_corrected", "tier3_corrected_low", "tier3_corrected_high", "tier3_corrected_n",
    "tier3_judge_alone", "tier3_judged", "tier3_validated",
    "review_items", "review_items_done", "agreement", "agreement_low", "agreement_high",
    "agreement_n", "gate_met",
    "state", "pending", "not_scored", "failed", "fabricated", "finished_at",
)  # fmt: skip


def table(board: Board) -> Table:
    """Give a row for each run in the order of the board."""
    columns = (*map(_column, _HEAD), *(column for name in board.categories for column in _category(name)))
    names = [column.name for column in columns]
    records = (dict(zip(names, _cells(row, board), strict=True)) for row in board.rows)
    return Table(columns, records, dict)


def about(board: Board) -> dict[str, Any]:
    """Say which board it is."""
    version, until = board.version, board.until
    return {
        "dataset": version.dataset.name if version else None,
        "version": version.number if version else None,
        "digest": version.digest if version else None,
        "as_of": until.isoformat() if until else None,
    }


def _column(name: str) -> Column:
    return Column(name, "text" if name in _TEXT else "whole" if name in _WHOLE else "number")


def _category(name: str) -> list[Column]:
    ends = [Column(f"{name}{end}", "number") for end in ("", ", low", ", high")]
    return [*ends, Column(f"{name}, n", "whole")]


def _cells(row: Row, board: Board) -> list[Any]:
    return [*_about(row, board), *_scored(row), *_reviewed(row), *_state(row), *_categories(row)]


def _about(row: Row, board: Board) -> list[Any]:
    place, tied = (row.rank.place, _yes(row.rank.tied)) if row.rank else (None, None)
    dataset, version = (board.version.dataset.name, board.version.number) if board.version else ("", None)
    run = row.run
    named = [run.pk, run.name, run.endpoint.name, dataset, version, run.phase]
    return [place, tied, row.why, *named, row.figures["threshold"]]


def _scored(row: Row) -> list[Any]:
    return [*_ends(row.figures["overall"]), *_ends(row.figures["pass_rate"])]


def _reviewed(row: Row) -> list[Any]:
    tier3, gate = row.review.get("tier3") or {}, row.review.get("gate") or {}
    return [
        *_ends(tier3.get("corrected")),
        tier3.get("plain"),
        tier3.get("judged"),
        tier3.get("validated"),
        row.review.get("items"),
        row.review.get("done"),
        *_ends(gate.get("agreement")),
        _yes(gate.get("met")),
    ]


def _state(row: Row) -> list[Any]:
    state = "final" if row.final else "provisional"
    finished = row.run.finished_at.isoformat() if row.run.finished_at else None
    counts = [row.figures[name] for name in ("not_scored", "failed", "fabricated")]
    return [state, row.pending, *counts, finished]


def _categories(row: Row) -> list[Any]:
    return [end for cell in row.cells for end in _ends(cell)]


def _ends(found: Mapping[str, Any] | None) -> list[Any]:
    return [found.get(name) if found else None for name in _ENDS]


def _yes(known: bool | None) -> str | None:
    return {True: "yes", False: "no", None: None}[known]
