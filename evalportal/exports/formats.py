"""A table of a run or a board goes in; a file of it comes out in pieces, so that its size never matters."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from evalportal.exports import tables
from evalportal.exports.sinks import Sink
from evalportal.exports.tables import Kind, Table
from scoring import csv_cells, results
from scoring.models import Run

Row = TypeVar("Row")

_ROWS_AT_ONCE = 500


class Format(NamedTuple):
    """A format: how it is called, its type in HTTP, and what writes it."""

    label: str
    content_type: str
    pieces: Callable[[Mapping[str, Any], str, Table], Iterator[bytes]]


class UnknownExportError(LookupError):
    """There is no such table or format; the message lists those there are."""


def export(
    run: Run, what: str, name: str, tell: Callable[[int], None] = lambda rows: None
) -> Iterator[bytes]:
    """Write the results, marks or verdicts of a run in one of the formats, telling how many are through."""
    check(what, name)
    table = tables.TABLES[what](run)
    head = {"run": results.about(run), "summary": run.summary}
    return write(name, head, what, table._replace(records=_told(table.records, tell)))


def check(what: str, name: str) -> None:
    """Refuse a table or a format that there is not."""
    _check_known(what, tables.TABLES)
    _check_known(name, FORMATS)


def write(name: str, head: Mapping[str, Any], what: str, table: Table) -> Iterator[bytes]:
    """Write any table in one of the formats; `head` says what it is about, if there is room."""
    _check_known(name, FORMATS)
    return FORMATS[name].pieces(head, what, table)


def _check_known(given: str, known: Mapping[str, Any]) -> None:
    if given not in known:
        raise UnknownExportError(f"There is no export {given!r}; there are: {', '.join(known)}.")


def _json(head: Mapping[str, Any], what: str, table: Table) -> Iterator[bytes]:
    """Write one document: what it is about, then all records."""
    yield _dump(head)[:-1] + f", {json.dumps(what)}: [\n".encode()
    first = True
    for batch in _batches(table.records):
        yield (b"" if first else b",\n") + b",\n".join(map(_dump, batch))
        first = False
    yield b"\n]}\n"


def _jsonl(head: Mapping[str, Any], what: str, table: Table) -> Iterator[bytes]:
    for batch in _batches(table.records):
        yield b"".join(_dump(record) + b"\n" for record in batch)


def _csv(head: Mapping[str, Any], what: str, table: Table) -> Iterator[bytes]:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([column.name for column in table.columns])
    for batch in _batches(table.rows()):
        writer.writerows([csv_cells.harmless(cell) for cell in row] for row in batch)
        yield _taken(text)
    yield _taken(text)


def _parquet(head: Mapping[str, Any], what: str, table: Table) -> Iterator[bytes]:
    """Write row groups of a few hundred rows; what they are made of is known before the first row."""
    # It takes a fifth of a second to load, and only this needs it.
    pa: Any = import_module("pyarrow")
    parquet: Any = import_module("pyarrow.parquet")
    kinds: Mapping[Kind, Any] = {
        "text": pa.string(),
        "whole": pa.int64(),
        "number": pa.float64(),
        "yes or no": pa.bool_(),
    }
    schema = pa.schema([(column.name, kinds[column.kind]) for column in table.columns])
    about = {key: json.dumps(value, default=str) for key, value in head.items()}
    sink = Sink()
    with parquet.ParquetWriter(sink, schema.with_metadata(about), compression="zstd") as writer:
        for batch in _batches(table.rows()):
            cells = zip(*batch, strict=True)
            arrays = [pa.array(column, field.type) for column, field in zip(cells, schema, strict=True)]
            writer.write_batch(pa.record_batch(arrays, schema=schema))
            yield sink.taken()
    yield sink.taken()


FORMATS: Mapping[str, Format] = {
    "json": Format("JSON", "application/json", _json),
    "jsonl": Format("JSON lines", "application/jsonl", _jsonl),
    "csv": Format("CSV", "text/csv; charset=utf-8", _csv),
    "parquet": Format("Parquet", "application/vnd.apache.parquet", _parquet),
}


def _told(rows: Iterable[Row], tell: Callable[[int], None]) -> Iterator[Row]:
    for number, row in enumerate(rows, 1):
        yield row
        if not number % _ROWS_AT_ONCE:
            tell(number)


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    stream = iter(rows)
    while batch := list(islice(stream, _ROWS_AT_ONCE)):
        yield batch


def _dump(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, allow_nan=False).encode()


def _taken(text: io.StringIO) -> bytes:
    found = text.getvalue().encode()
    text.seek(0)
    text.truncate()
    return found
