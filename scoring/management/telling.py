"""A run goes in; what the command line says of it comes out: how far it is, and what it scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import monotonic
from typing import Any

from django.core.management.base import OutputWrapper

from scoring import progress
from scoring.models import Run
from scoring.progress import Stage

# Off a terminal there is no line to draw over: a log gets a new one this often.
LINE_SECONDS = 10.0
_WIDTH = 30


class Teller:
    """Says how far a run is: a bar on a terminal, a plain line now and then anywhere else."""

    def __init__(self, stream: OutputWrapper) -> None:
        self._stream = stream
        self._drawn = False
        self._next = 0.0
        self._said = ""

    def progress(self, run: Run) -> None:
        """Say how far the run is, if it is time to."""
        if self._stream.isatty():
            self._stream.write(f"\r{_bar(_stage(run)):<100}", ending="")
            self._drawn = True
        elif monotonic() >= self._next:
            self._line(run)

    def say(self, words: str) -> None:
        """Say something else, once."""
        if words and words != self._said:
            self._end_line()
            self._stream.write(words)
        self._said = words

    def end(self, run: Run) -> None:
        """Say where the run stands at last."""
        if self._stream.isatty():
            self.progress(run)
            self._end_line()
        else:
            self._line(run)

    def _line(self, run: Run) -> None:
        self._next = monotonic() + LINE_SECONDS
        stage = _stage(run)
        self._stream.write(f"Run {run.pk}: {stage.name.lower()} {_count(stage)}")

    def _end_line(self) -> None:
        if self._drawn:
            self._stream.write("")
            self._drawn = False


def report(run: Run) -> Iterator[str]:
    """Sum up a run, line by line."""
    yield f"Run {run.pk}: {run.get_state_display().lower()}. {run.reason}".strip()
    summary = run.summary
    if not summary:
        return
    yield f"{run.endpoint.name} on {run.version}, {run.phase}, threshold {summary['threshold']:.0%}\n"
    for title in ("benchmark", "difficulty"):
        yield from _table(title, summary[f"by_{title}"], summary["overall"])
    answers = summary["answers"]
    limited = f", {answers['at_limit']} at the token limit" if answers.get("at_limit") else ""
    yield (
        f"{answers['done']} answers, {answers['failed']} failed, {answers['from_cache']} from the cache"
        f"{limited}; {answers['completion_tokens']} tokens; fabricated: {summary['fabricated']}"
    )


def _stage(run: Run) -> Stage:
    stages = progress.stages(run)
    return next((stage for stage in stages if not stage.complete), stages[-1])


def _bar(stage: Stage) -> str:
    filled = _WIDTH * stage.through // max(1, stage.total)
    return f"{stage.name:<9}[{'#' * filled}{'.' * (_WIDTH - filled)}] {_count(stage)}"


def _count(stage: Stage) -> str:
    parts = [
        f"{stage.done}/{stage.total}",
        f"{stage.failed} failed" if stage.failed else "",
        f"{stage.rate:.1f}/s" if stage.rate else "",
        f"{_duration(stage.seconds_left)} left" if stage.seconds_left else "",
    ]
    return ", ".join(filter(None, parts))


def _table(title: str, groups: Mapping[str, Any], whole: Mapping[str, Any]) -> Iterator[str]:
    head = ("cases", "scored", "pending", "mean", "passed", "pass rate")
    named = {code: f"{code} {group.get('name', '')}".strip()[:48] or "–" for code, group in groups.items()}
    width = max([len(title), *map(len, named.values()), len("all")])
    yield f"{title:<{width}}" + "".join(f"{column:>11}" for column in head)
    for code, group in [*groups.items(), ("all", whole)]:
        cells = (
            group["cases"], group["scored"], group["pending"], _share(group["mean"]), group["passed"],
            _share(group["pass_rate"]),
        )  # fmt: skip
        yield f"{named.get(code, code):<{width}}" + "".join(f"{cell:>11}" for cell in cells)
    yield ""


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
