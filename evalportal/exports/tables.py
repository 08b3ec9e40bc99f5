"""A run goes in; its results, marks or verdicts come out as a table: named columns, and rows one by one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from django.db import connection

from reviews.models import Adjudication, Mark
from scoring import results, scorings
from scoring.models import Response, Run, Verdict

Kind = Literal["text", "whole", "number", "yes or no"]

_AT_ONCE = 1_000


class Column(NamedTuple):
    """A column: its name, and what its cells are where they are not empty."""

    name: str
    kind: Kind = "text"


class Table(NamedTuple):
    """What a run has of one kind: `records` as JSON carries them, `columns` and `flat` as a table does."""

    columns: tuple[Column, ...]
    records: Iterable[dict[str, Any]]
    flat: Callable[[Mapping[str, Any]], dict[str, Any]]

    def rows(self) -> Iterator[list[Any]]:
        """Give the cells of one row after the other."""
        for record in self.records:
            cells = self.flat(record)
            yield [cells.get(column.name) for column in self.columns]


def of_results(run: Run) -> Table:
    """Give each answer with its case, what every metric says of it, and the overall."""
    metrics = tuple(Column(name, "number") for name in _metrics(run))
    return Table((*_RESULT, *metrics), results.each(run), _flat_result)


def of_answers(run: Run) -> Table:
    """Give each answer as a recording, which another portal, or this one, can score as its own."""
    return Table(_ANSWER, _answers(run), dict)


def of_marks(run: Run) -> Table:
    """Give each mark of a person, also those taken back, then what was settled."""
    return Table(_MARK, _marks(run), dict)


def of_verdicts(run: Run) -> Table:
    """Give each vote of the judge."""
    return Table(_VERDICT, _verdicts(run), _flat_verdict)


TABLES: Mapping[str, Callable[[Run], Table]] = {
    "results": of_results,
    "answers": of_answers,
    "marks": of_marks,
    "verdicts": of_verdicts,
}

# How many records each of them has.
COUNTS: Mapping[str, Callable[[Run], int]] = {
    "results": lambda run: run.responses.count(),
    "answers": lambda run: run.responses.count(),
    "marks": lambda run: Mark.objects.filter(review__item__run=run).count(),
    "verdicts": lambda run: run.verdicts.count(),
}

_RESULT = (
    Column("test_id"),
    Column("benchmark"),
    Column("category"),
    Column("difficulty"),
    Column("sample", "whole"),
    Column("noise", "number"),
    Column("question"),
    Column("response"),
    Column("state"),
    Column("finish_reason"),
    Column("truncated", "yes or no"),
    Column("prompt_tokens", "whole"),
    Column("completion_tokens", "whole"),
    Column("latency_seconds", "number"),
    Column("from_cache", "yes or no"),
    Column("attempts", "whole"),
    Column("error_kind"),
    Column("error"),
    Column("answered_at"),
    Column("overall_score", "number"),
    Column("passed", "yes or no"),
    Column("pending"),
    Column("fabricated", "yes or no"),
    Column("flags"),
)
_ANSWER = (
    Column("test_id"),
    Column("sample", "whole"),
    Column("noise", "number"),
    Column("response"),
    Column("finish_reason"),
    Column("completion_tokens", "whole"),
)
_MARK = (
    Column("test_id"),
    Column("benchmark"),
    Column("sample", "whole"),
    Column("noise", "number"),
    Column("kind"),
    Column("rubric_version", "whole"),
    Column("source"),
    Column("person"),
    Column("review", "whole"),
    Column("is_current", "yes or no"),
    Column("blind", "yes or no"),
    Column("criterion"),
    Column("mark", "whole"),
    Column("comment"),
    Column("flagged", "yes or no"),
    Column("decision"),
    Column("reason"),
    Column("seconds", "number"),
    Column("drawn_because"),
    Column("probability", "number"),
    Column("stratum"),
    Column("at"),
)
_VERDICT = (
    Column("test_id"),
    Column("benchmark"),
    Column("sample", "whole"),
    Column("noise", "number"),
    Column("vote", "whole"),
    Column("judge_model"),
    Column("prompt_version", "whole"),
    Column("rubric_version"),
    Column("state"),
    Column("marks"),
    Column("confidence", "number"),
    Column("rationale"),
    Column("prompt_tokens", "whole"),
    Column("completion_tokens", "whole"),
    Column("latency_seconds", "number"),
    Column("error_kind"),
    Column("error"),
    Column("answered_at"),
)


def _metrics(run: Run) -> list[str]:
    """List the metrics that some answer of the newest scoring was measured by."""
    scoring = scorings.newest(run)
    with connection.cursor() as cursor:
        cursor.execute(
            'SELECT DISTINCT jsonb_object_keys("values") AS name FROM scoring_score'
            " WHERE scoring_id = %s ORDER BY name",
            [scoring.pk if scoring else None],
        )
        return [name for (name,) in cursor.fetchall()]


def _flat_result(result: Mapping[str, Any]) -> dict[str, Any]:
    case, response, about = result["test_case"], result["response"], result["metadata"]
    measured = {name: metric["value"] for name, metric in result["metrics"].items()}
    return {
        **measured,
        **response,
        **about,
        "question": case.get("question") or case.get("query"),
        "response": response["content"],
        "overall_score": result["overall_score"],
        "passed": result["passed"],
        "flags": "; ".join(about["flags"]),
    }


def _answers(run: Run) -> Iterator[dict[str, Any]]:
    """Give the answers as `scoring.recordings` reads them, with what is known of their tokens."""
    rows = run.responses.filter(state=Response.State.DONE).order_by("position")
    for row in rows.values(*_OF_ANSWERS, "token_scores").iterator(chunk_size=_AT_ONCE):
        found = {name: row[path] for path, name in _OF_ANSWERS.items()}
        tokens = row["token_scores"] or {}
        known = {name: tokens[name] for name in _OF_TOKENS if tokens.get(name)}
        yield found | {"noise": found["noise"] / 100} | known


def _marks(run: Run) -> Iterator[dict[str, Any]]:
    given = Mark.objects.filter(review__item__run=run).order_by("review__item__turn", "review_id", "pk")
    for mark in given.values(*_OF_MARKS).iterator(chunk_size=_AT_ONCE):
        found = {name: mark[path] for path, name in _OF_MARKS.items()}
        yield _dated(found | {"source": "review"})
    settled = Adjudication.objects.filter(item__run=run).order_by("item__turn", "pk")
    for one in settled.values(*_OF_ADJUDICATIONS, "marks").iterator(chunk_size=_AT_ONCE):
        found = {name: one[path] for path, name in _OF_ADJUDICATIONS.items()}
        for criterion, value in one["marks"].items():
            yield _dated(found | {"source": "adjudication", "criterion": criterion, "mark": value})


def _verdicts(run: Run) -> Iterator[dict[str, Any]]:
    votes = Verdict.objects.filter(run=run).order_by("response__position", "vote")
    for vote in votes.values(*_OF_VERDICTS).iterator(chunk_size=_AT_ONCE):
        yield _dated({name: vote[path] for path, name in _OF_VERDICTS.items()})


def _flat_verdict(verdict: Mapping[str, Any]) -> dict[str, Any]:
    return {**verdict, "marks": json.dumps(verdict["marks"], ensure_ascii=False)}


def _dated(record: dict[str, Any]) -> dict[str, Any]:
    """Write the time and the share of noise as the results do."""
    when = next(name for name in ("at", "answered_at") if name in record)
    moment = record[when]
    return record | {"noise": record["noise"] / 100, when: moment.isoformat() if moment else None}


def _paths(prefix: str, *names: str) -> dict[str, str]:
    return {f"{prefix}{name}": name for name in names}


_OF_TOKENS = ("logprobs", "top_logprobs", "vocabulary")
_OF_ANSWERS = {
    **_paths("", "sample", "noise", "finish_reason", "completion_tokens"),
    "case__key": "test_id",
    "content": "response",
}
_OF_ITEMS = {
    **_paths("response__", "sample", "noise"),
    **_paths("", "kind", "probability", "stratum", "benchmark"),
    "response__case__key": "test_id",
    "rubric__version": "rubric_version",
    "reason": "drawn_because",
}
_OF_MARKS = {
    **{f"review__item__{path}": name for path, name in _OF_ITEMS.items()},
    **_paths("review__", "is_current", "blind", "comment", "flagged", "decision", "reason", "seconds"),
    "review__number": "review",
    "review__person__username": "person",
    "review__created_at": "at",
    "criterion": "criterion",
    "value": "mark",
}
_OF_ADJUDICATIONS = {
    **{f"item__{path}": name for path, name in _OF_ITEMS.items()},
    "by__username": "person",
    "why": "reason",
    "created_at": "at",
}
_OF_VERDICTS = {
    **_paths("response__", "sample", "noise"),
    **_paths("", "vote", "judge_model", "prompt_version", "rubric_version"),
    **_paths("", "state", "marks", "confidence", "rationale"),
    **_paths("", "prompt_tokens", "completion_tokens", "latency_seconds", "error_kind", "error"),
    "response__case__key": "test_id",
    "response__case__benchmark": "benchmark",
    "answered_at": "answered_at",
}
