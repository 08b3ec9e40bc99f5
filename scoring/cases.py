"""Files of rows go in; the cases of a new, immutable version of a dataset come out, or nothing at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from operator import attrgetter
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import TextField
from django.db.models.functions import Cast

from scoring import benchmarks, case_copy, differences, ordering, reserving, searching, uploads
from scoring.models import Case, Dataset, Membership, Version
from scoring.reserving import Busy
from scoring.uploads import CheckedRow, LineProblem, Problems, Source

COUNTED = ("benchmark", "category", "difficulty", "domain")

_kind = attrgetter(*COUNTED)

_EXPORTED_AT_ONCE = 1_000
_ROWS_BETWEEN_REPORTS = 500

Progress = Callable[[int], None]


class NotForTheseError(ValueError):
    """A dataset of that name exists, and does not take these cases; the message says why."""


class OtherSuiteError(NotForTheseError):
    """It holds cases of another suite."""


class RetiredError(NotForTheseError):
    """It is retired."""


class _BadLineError(Exception):
    """The first bad line: from here on nothing is saved."""


@dataclass
class Outcome:
    """What became of an import or a check: the version, or what is wrong.

    `version` is the new one, or the latest if that holds exactly these cases, or None.
    """

    rows: int = 0
    problems: Problems = field(default_factory=Problems)
    changes: dict[str, int] = field(default_factory=dict)
    version: Version | None = None
    is_new: bool = False


def add(
    files: Iterable[Source],
    *,
    dataset: str,
    suite: str,
    person: Any = None,
    check_only: bool = False,
    progress: Progress = lambda rows: None,
    busy: Busy = lambda what: None,
) -> Outcome:
    """Import files as a new version of a dataset; save nothing if a line is bad, or if only to check.

    Many new cases are not found by their words until somebody calls `searching.prepare`.
    Two imports into one dataset wait for each other until the first one's transaction ends; `busy` is told
    what is waited for. The files must
    not be read through the same connection with the database: it is busy taking the rows in.
    """
    with transaction.atomic():
        known = _known(dataset, suite, busy)
        checked = uploads.read(files, suite, benchmarks.known(suite))
        rows = _Rows(_unowned(checked, known.owners), progress)
        try:
            # A savepoint, given up at the first bad line; the locks stay until all lines are checked.
            with transaction.atomic():
                return _checked(rows, known) if check_only else _saved(rows, known, person)
        except _BadLineError:
            rows.find_all_problems()
        return Outcome(rows.count, rows.problems)


@dataclass(frozen=True)
class _Known:
    """What the repository holds before an import."""

    name: str
    suite: str
    dataset: Dataset | None
    latest: Version | None
    owners: dict[str, str]  # which other dataset holds a key, where keys are the repository's


def _known(name: str, suite: str, busy: Busy) -> _Known:
    """Lock a dataset's name against other imports, then see what there is."""
    reserving.reserve(name, suite, busy)
    dataset = Dataset.objects.filter(name=name).first()
    if dataset and dataset.suite != suite:
        raise OtherSuiteError(
            f"The dataset {name} holds cases of the suite {dataset.suite}, and these are to be of {suite}: "
            "choose another name, or the other suite."
        )
    if dataset and dataset.retired_at:
        raise RetiredError(
            f"The dataset {name} is retired: choose another name, or let an admin bring it back on its page."
        )
    latest = dataset.versions.first() if dataset else None
    return _Known(name, suite, dataset, latest, reserving.owners(name, suite))


def _unowned(
    checked: Iterable[CheckedRow | LineProblem], owners: dict[str, str]
) -> Iterator[CheckedRow | LineProblem]:
    """Refuse rows whose key belongs to another dataset."""
    for item in checked:
        if isinstance(item, CheckedRow) and item.row.key in owners:
            owner = owners[item.row.key]
            reason = (
                f"{item.row.key} belongs to the dataset {owner}: import into that, choose another id, or, if "
                f"{owner} is a mistake, let an admin retire it on its page, which sets its ids free."
            )
            yield LineProblem(item.file, item.line, uploads.key_field(item.row), reason)
        else:
            yield item


class _Entry(NamedTuple):
    digest: bytes
    case_id: int


class _Rows:
    """Rows on their way, and what is known of those that have passed."""

    def __init__(self, stream: Iterator[CheckedRow | LineProblem], progress: Progress) -> None:
        self.count = 0
        self.problems = Problems()
        self.entries: dict[str, _Entry] = {}  # by key, in the order of the files
        self._kinds: Counter[tuple[str, ...]] = Counter()
        self._stream = stream
        self._progress = progress

    def __iter__(self) -> Iterator[CheckedRow]:
        """Give rows up to the first bad line, which raises an error."""
        for item in self._stream:
            if isinstance(item, LineProblem):
                self.problems.add(item)
                raise _BadLineError
            self._passed()
            yield item

    def keep(self, checked: CheckedRow, case_id: int) -> None:
        """Remember which case a row is."""
        self.entries[checked.row.key] = _Entry(checked.digest, case_id)
        self._kinds[_kind(checked.row)] += 1

    def summary(self) -> dict[str, dict[str, int]]:
        """Count the rows by benchmark, category, difficulty and domain, in the order people expect."""
        counts: dict[str, Counter[str]] = {name: Counter() for name in COUNTED}
        for kind in sorted(self._kinds, key=lambda kind: ordering.natural(kind[0])):
            for name, value in zip(COUNTED, kind, strict=True):
                counts[name][value] += self._kinds[kind]
        levels = counts["difficulty"]
        return {name: dict(counter) for name, counter in counts.items()} | {
            "difficulty": {level: levels[level] for level in sorted(levels, key=ordering.difficulty)}
        }

    def find_all_problems(self) -> None:
        """Go through the rows after a bad line for the others."""
        for item in self._stream:
            if isinstance(item, LineProblem):
                self.problems.add(item)
            else:
                self._passed()

    def digest(self) -> str:
        """Hash the content of a version, whatever the order of its rows."""
        content = sha256()
        for key in sorted(self.entries):
            content.update(key.encode() + b"\0" + self.entries[key].digest)
        return content.hexdigest()

    def _passed(self) -> None:
        self.count += 1
        if self.count % _ROWS_BETWEEN_REPORTS == 0:
            self._progress(self.count)


def _checked(rows: _Rows, known: _Known) -> Outcome:
    for row in rows:
        rows.keep(row, 0)
    return _compared(rows, known)


def _saved(rows: _Rows, known: _Known, person: Any) -> Outcome:
    dataset = known.dataset or Dataset.objects.create(name=known.name, suite=known.suite, created_by=person)
    for row, case_id in case_copy.save(rows, dataset):
        rows.keep(row, case_id)
    outcome = _compared(rows, known)
    if outcome.version:
        return outcome
    version = Version.objects.create(
        dataset=dataset,
        number=known.latest.number + 1 if known.latest else 1,
        digest=rows.digest(),
        case_count=rows.count,
        summary=rows.summary(),
        changes=outcome.changes,
        created_by=person,
    )
    case_copy.save_memberships(version, (entry.case_id for entry in rows.entries.values()))
    if outcome.changes["added"] + outcome.changes["changed"] <= searching.AT_ONCE:
        searching.prepare(dataset)
    return replace(outcome, version=version, is_new=True)


def _compared(rows: _Rows, known: _Known) -> Outcome:
    """Count what differs from the latest version, and name that version if nothing does."""
    before = _digests(known.latest) if known.latest else ()
    counts = dict.fromkeys(("added", "changed", "removed", "unchanged"), 0)
    for key, digest in before:
        entry = rows.entries.get(key)
        counts["removed" if not entry else "unchanged" if entry.digest.hex() == digest else "changed"] += 1
    counts["added"] = rows.count - counts["unchanged"] - counts["changed"]
    is_same = known.latest is not None and counts["unchanged"] == rows.count == known.latest.case_count
    return Outcome(rows.count, rows.problems, counts, known.latest if is_same else None)


def _digests(version: Version) -> Iterator[tuple[str, str]]:
    members = Membership.objects.filter(version=version).order_by()
    return members.values_list("case__key", "case__digest").iterator(chunk_size=5_000)


class Change(NamedTuple):
    """A case that was added, changed or removed, with the fields that differ."""

    kind: str
    key: str
    case_id: int
    fields: Sequence[differences.FieldChange]


class ChangePage(NamedTuple):
    """Some changes, and the key after which the next ones follow, if any do."""

    rows: Sequence[Change]
    after: str


def changes(old: Version, new: Version, *, after: str = "", size: int = 50) -> ChangePage:
    """List what changed between two versions of a dataset, by key, from after a key on."""
    found = _changed_cases(old, new, after, size + 1)
    cases = Case.objects.in_bulk([pk for row in found[:size] for pk in row if isinstance(pk, int)])
    rows = [_change(cases.get(gone), cases.get(come)) for gone, come in found[:size]]
    return ChangePage(rows, rows[-1].key if len(found) > size else "")


def _changed_cases(old: Version, new: Version, after: str, size: int) -> list[tuple[int, int]]:
    """Pair the numbers of the old and the new case of each key whose case differs; 0 where there is none."""
    with connection.cursor() as cursor:
        cursor.execute(
            _CHANGED, {"old": old.pk, "new": new.pk, "dataset": new.dataset_id, "after": after, "size": size}
        )
        return list(cursor.fetchall())


# Which cases differ is seen from their numbers alone, which an index holds; only those are looked at.
_CHANGED = """
WITH here AS (
    SELECT sort, key FROM scoring_case WHERE dataset_id = %(dataset)s AND key = %(after)s LIMIT 1
), differing AS (
    SELECT sort, key, c.id AS gone, 0 AS come
    FROM scoring_membership AS m JOIN scoring_case AS c ON c.id = m.case_id
    WHERE m.version_id = %(old)s AND NOT EXISTS (
        SELECT FROM scoring_membership AS other WHERE other.version_id = %(new)s AND other.case_id = m.case_id
    )
    UNION ALL
    SELECT sort, key, 0, c.id
    FROM scoring_membership AS m JOIN scoring_case AS c ON c.id = m.case_id
    WHERE m.version_id = %(new)s AND NOT EXISTS (
        SELECT FROM scoring_membership AS other WHERE other.version_id = %(old)s AND other.case_id = m.case_id
    )
)
SELECT max(gone), max(come) FROM differing
WHERE NOT EXISTS (SELECT FROM here) OR (sort, key) > (SELECT sort, key FROM here)
GROUP BY sort, key ORDER BY sort, key LIMIT %(size)s
"""


def _change(old: Case | None, new: Case | None) -> Change:
    if old and new:
        return Change("changed", new.key, new.pk, differences.between(old.fields, new.fields))
    case = new or old
    assert case, "A change is about one case at least."
    return Change("added" if new else "removed", case.key, case.pk, ())


def export(version: Version) -> Iterator[bytes]:
    """Give the rows of a version back as JSON lines, as they were written and in the order they came in."""
    position = -1
    members = Membership.objects.filter(version=version).order_by("position")
    written = members.annotate(row=Cast("case__fields", TextField())).values_list("position", "row")
    while page := list(written.filter(position__gt=position)[:_EXPORTED_AT_ONCE]):
        position = page[-1][0]
        yield "".join(f"{row}\n" for _, row in page).encode()
