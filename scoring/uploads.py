"""Bytes of one or more files go in; checked rows come out one by one, or every bad line with its reason."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from operator import attrgetter, gt
from types import ModuleType
from typing import Any, NamedTuple

from scoring import registry
from scoring.jsonl import formats, lines, objects
from scoring.jsonl.reasons import ObjectError, shown
from scoring.rows import Benchmark, Problem, Row, RowError

MOST_PROBLEMS = 1_000
MOST_ROWS = 1_000_000
SUITES = "scoring.suites"
# A test id names one case of the whole repository; the keys of other suites are unique in their dataset.
SUITES_WITH_KEYS_OF_THE_REPOSITORY = frozenset({"ccop"})

# As wide as the columns of a case.
_WIDTHS = {
    "key": 200,
    "sort": 220,
    "benchmark": 60,
    "category": 80,
    "difficulty": 20,
    "domain": 20,
    "section": 200,
    "question": 100_000,  # more words than that fit no search index
}
_columns = attrgetter(*_WIDTHS)
_GUESSED_FROM = 20


class Source(NamedTuple):
    """A file: its name, and its bytes in chunks of any size."""

    name: str
    chunks: Iterable[bytes]


class LineProblem(NamedTuple):
    """What is wrong with one line; without a number it is about the whole file."""

    file: str
    line: int | None
    field: str
    reason: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.field}: {self.reason}" if self.field else f"{place}: {self.reason}"


class CheckedRow(NamedTuple):
    """A row that its suite takes, where it stands, its JSON as it was written, the hash of its meaning."""

    file: str
    line: int
    row: Row
    text: str
    digest: bytes


class Problems:
    """Bad lines: the first of them are kept, all are counted."""

    def __init__(self, most: int = MOST_PROBLEMS) -> None:
        self.kept: list[LineProblem] = []
        self.count = 0
        self._most = most

    def add(self, problem: LineProblem) -> None:
        self.count += 1
        if len(self.kept) < self._most:
            self.kept.append(problem)


def read(
    files: Iterable[Source], suite: str, benchmarks: Mapping[str, Benchmark], most_rows: int = MOST_ROWS
) -> Iterator[CheckedRow | LineProblem]:
    """Check every line of every file, in order; nothing but the keys stays in memory."""
    reader = _Reader(suite, benchmarks, most_rows)
    for file in files:
        yield from reader.file(file)
        if reader.full:
            return


def guess_suite(file: Source) -> str | None:
    """Name the suite that finds least wrong with the first rows of a file; None if it has no rows."""
    parsed = (_parsed_or_none(line) for line in lines.split(file.chunks))
    rows = list(islice((row for row in parsed if row is not None), _GUESSED_FROM))
    suites = registry.plugins(SUITES)
    return min(suites, key=lambda name: _wrong(rows, suites[name])) if rows else None


def _parsed_or_none(line: lines.Line | lines.BadLine) -> dict[str, object] | None:
    try:
        return objects.parse(line.text)[0] if isinstance(line, lines.Line) else None
    except ObjectError:
        return None


def _wrong(rows: Sequence[Mapping[str, object]], suite: ModuleType) -> int:
    return sum(len(_problems(row, suite, suite.BENCHMARKS)) for row in rows)


def _problems(
    row: Mapping[str, object], suite: ModuleType, benchmarks: Mapping[str, Benchmark]
) -> Sequence[Problem]:
    try:
        suite.read(row, benchmarks)
    except RowError as error:
        return error.problems
    return ()


class _Reader:
    """What is known while the files of one upload are read: where each key stands."""

    def __init__(self, suite: str, benchmarks: Mapping[str, Benchmark], most_rows: int) -> None:
        self._suite = suite
        self._read = registry.plugin(SUITES, suite).read
        self._benchmarks = benchmarks
        self._most_rows = most_rows
        self._places: dict[str, int] = {}  # the line of each key, counted through all files
        self._starts: list[int] = []  # the number of lines before each file
        self._names: list[str] = []
        self._lines_before = 0

    @property
    def full(self) -> bool:
        return len(self._places) > self._most_rows

    def file(self, file: Source) -> Iterator[CheckedRow | LineProblem]:
        """Check the lines of one file; stop at what is wrong with the file as a whole."""
        self._starts.append(self._lines_before)
        self._names.append(file.name)
        line, first = None, True
        for line in lines.split(file.chunks):
            found = self._line(file.name, line, first=first)
            first = False
            if isinstance(found, CheckedRow):
                yield found
            else:
                yield from found
                if self.full or found[-1].line is None:
                    return
        if line is None:
            yield LineProblem(file.name, None, "", "holds no rows.")
        else:
            self._lines_before += line.number or 0

    def _line(
        self, file: str, line: lines.Line | lines.BadLine, *, first: bool
    ) -> CheckedRow | list[LineProblem]:
        if isinstance(line, lines.BadLine):
            return [LineProblem(file, line.number, "", line.reason)]
        try:
            fields, canonical = objects.parse(line.text)
        except ObjectError as error:
            return _unreadable(file, line, error, first=first)
        try:
            row = self._read(fields, self._benchmarks)
            self._place(row, line.number)
        except RowError as error:
            problems = self._other_suite(fields) or error.problems
            return [LineProblem(file, line.number, *problem) for problem in problems]
        return CheckedRow(file, line.number, row, line.text.strip(), sha256(canonical).digest())

    def _place(self, row: Row, number: int) -> None:
        """Remember where a key stands; refuse one that stands elsewhere, and what is too wide to keep."""
        if any(map(gt, map(len, _columns(row)), _WIDTHS.values())):
            raise RowError(list(_too_wide(row)))
        place = self._lines_before + number
        if (earlier := self._places.setdefault(row.key, place)) != place:
            reason = f"{shown(row.key)} stands already in {self._where(earlier)}."
            raise RowError([Problem(key_field(row), reason + self._remedy(earlier))])
        if self.full:
            raise RowError([Problem("", f"is one too many: an upload may have {self._most_rows:,} rows.")])

    def _where(self, place: int) -> str:
        index = bisect_left(self._starts, place) - 1
        line = f"line {place - self._starts[index]:,}"
        return line if index == len(self._names) - 1 else f"{self._names[index]}, {line}"

    def _remedy(self, earlier: int) -> str:
        """Say what to do with files that number their rows alike, as those of RGB's authors do."""
        if earlier > self._starts[-1] or self._suite in SUITES_WITH_KEYS_OF_THE_REPOSITORY:
            return ""
        return " Import each file as a dataset of its own (import_cases --each), or give ids that differ."

    def _other_suite(self, fields: Mapping[str, Any]) -> Sequence[Problem]:
        """Say which suite a row is of, if this one refuses it and another one takes it."""
        if not _problems(fields, registry.plugin(SUITES, self._suite), self._benchmarks):
            return ()
        for name, suite in registry.plugins(SUITES).items():
            if name != self._suite and not _problems(fields, suite, suite.BENCHMARKS):
                return [Problem("", f"looks like a row of the suite {name}, not of {self._suite}.")]
        return ()


def _too_wide(row: Row) -> Iterator[Problem]:
    for (name, width), value in zip(_WIDTHS.items(), _columns(row), strict=True):
        if len(value) > width:
            yield Problem(name, f"has more than {width:,} characters.")


def _unreadable(file: str, line: lines.Line, error: ObjectError, *, first: bool) -> list[LineProblem]:
    if first and (reason := formats.shape(line.text, broken_at_end=error.at_end and line.ended)):
        return [LineProblem(file, None, "", reason)]
    if error.at_end and not line.ended:
        return [LineProblem(file, line.number, "", "is cut off: the file ends in the middle of this row.")]
    return [LineProblem(file, line.number, *problem) for problem in error.problems]


def key_field(row: Row) -> str:
    """Name the field of a row that holds its key."""
    return next((name for name, value in row.fields.items() if str(value).strip() == row.key), "")
