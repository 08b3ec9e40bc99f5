"""A run that has ended goes in; a zip file with all that it stands on comes out, in pieces."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from itertools import islice
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from evalportal.bundles import parts
from evalportal.bundles.parts import BundleError, Part
from evalportal.exports.sinks import Sink
from scoring import cases
from scoring.models import CustomBenchmark, Endpoint, Membership, Run

STATES = Run.ENDED
_ROWS_AT_ONCE = 200


def pack(run: Run, tell: Callable[[int], None] = lambda rows: None) -> Iterator[bytes]:
    """Write the bundle of a run piece by piece; the hashes of its files come last, in the manifest."""
    check(run)
    return _pieces(run, tell)


def check(run: Run) -> None:
    """Refuse a run that may still change."""
    if run.state not in STATES:
        raise BundleError(
            f"A bundle can be made once the run has ended. This one is {run.get_state_display().lower()}."
        )


def rows(run: Run) -> int:
    """Count the lines that a bundle will have, without those of people and rubrics, which are few."""
    return run.version.case_count + sum(part.rows(run).count() for part in parts.PARTS)


def _pieces(run: Run, tell: Callable[[int], None]) -> Iterator[bytes]:
    sink, files, through = Sink(), {}, 0
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, lines in _contents(run):
            digest, count = sha256(), 0
            with archive.open(name, "w", force_zip64=True) as file:
                for chunk, some in lines:
                    digest.update(chunk)
                    count += some
                    file.write(chunk)
                    tell(through + count)
                    yield sink.taken()
            through += count
            files[name] = {"sha256": digest.hexdigest(), "rows": count}
        archive.writestr(parts.MANIFEST, _dump(_manifest(run) | {"files": files}))
    yield sink.taken()


Lines = Iterable[tuple[bytes, int]]


def _contents(run: Run) -> Iterator[tuple[str, Lines]]:
    """Give each file with its lines, some at a time, and how many those are."""
    yield parts.CASES, ((chunk, chunk.count(b"\n")) for chunk in cases.export(run.version))
    yield "people.jsonl", _lines(parts.people(run))
    yield "rubrics.jsonl", _lines(parts.rubrics(run))
    for part in parts.PARTS:
        yield part.file, _lines(_records(part, run))


def _records(part: Part, run: Run) -> Iterator[dict[str, Any]]:
    found = part.rows(run).values(*part.columns).iterator(chunk_size=_ROWS_AT_ONCE)
    if "cases" not in part.links.values():
        return found
    # The number of a case is this portal's own; its key is the same everywhere.
    keys = dict(Membership.objects.filter(version=run.version).values_list("case_id", "case__key"))
    return (record | {"case_id": keys[record["case_id"]]} for record in found)


def _lines(records: Iterable[dict[str, Any]]) -> Lines:
    stream = iter(records)
    while batch := list(islice(stream, _ROWS_AT_ONCE)):
        yield b"".join(_dump(record) + b"\n" for record in batch), len(batch)


def _manifest(run: Run) -> dict[str, Any]:
    version = run.version
    return {
        "format": parts.FORMAT,
        "format_version": parts.FORMAT_VERSION,
        "made_at": timezone.now(),
        "run": {name: getattr(run, name) for name in parts.RUN_FIELDS} | {"created_by": run.created_by_id},
        "dataset": {
            "name": version.dataset.name,
            "suite": version.dataset.suite,
            "number": version.number,
            "digest": version.digest,
        },
        "endpoints": {name: _endpoint(getattr(run, name)) for name in parts.ENDPOINTS},
        "benchmarks": _own_benchmarks(run),
    }


def _endpoint(endpoint: Endpoint | None) -> dict[str, Any] | None:
    return {name: getattr(endpoint, name) for name in parts.ENDPOINT_FIELDS} if endpoint else None


def _own_benchmarks(run: Run) -> list[dict[str, Any]]:
    """Describe the benchmarks of the users' own that the cases belong to."""
    if run.version.dataset.suite != "ccop":
        return []
    codes = run.version.cases.order_by().values("benchmark").distinct()
    own = CustomBenchmark.objects.filter(code__in=codes).values("code", "name", "category", "route")
    return [dict(one) for one in own]


def _dump(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, allow_nan=False, cls=_Encoder).encode()


class _Encoder(DjangoJSONEncoder):
    """Writes times to the microsecond, so that they come back as they were."""

    def default(self, o: Any) -> Any:
        return o.isoformat() if hasattr(o, "isoformat") else super().default(o)
