"""Import cases: `import_cases PATH… [--dataset NAME] [--each] [--suite SUITE] [--check]`."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils.text import slugify

from scoring import cases, registry, searching, uploads
from scoring.cases import Outcome
from scoring.management import tables
from scoring.models import Dataset
from scoring.uploads import Source

_CHUNK = 1024 * 1024
_SECONDS_BETWEEN_REPORTS = 0.2


class Command(BaseCommand):
    """Either all rows are in, or every bad line is named and none is."""

    help = "Import files of JSON lines as a new version of a dataset."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "paths",
            nargs="+",
            type=Path,
            metavar="PATH",
            help="files, or folders: b*.jsonl of CCoP, else all",
        )
        parser.add_argument("--dataset", help="its name; that of the folder or file if not given")
        parser.add_argument(
            "--each", action="store_true", help="every file as a dataset of its own, named after the file"
        )
        parser.add_argument(
            "--suite",
            choices=sorted(registry.plugins(uploads.SUITES)),
            help="what kind of cases; seen from the rows if not given",
        )
        parser.add_argument("--check", action="store_true", help="check every line and save nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        tables.require()
        suite, files = _found(options["paths"], options["suite"])
        wanted = _datasets(options["paths"], files, options["dataset"], each=options["each"])
        # One import is all or nothing by itself.
        with transaction.atomic() if options["each"] else nullcontext():
            outcomes = {name: self._add(name, suite, own, options["check"]) for name, own in wanted.items()}
            if self.stderr.isatty():
                self.stderr.write("\r\033[K", ending="")
            self._refuse(outcomes.values())
        for name, outcome in outcomes.items():
            self._report(outcome, name, check=options["check"])
        searching.prepare(progress=self._progress("cases can be searched"))

    def _add(self, name: str, suite: str, files: Sequence[Path], check: bool) -> Outcome:
        try:
            return cases.add(
                [Source(str(path), _chunks(path)) for path in files],
                dataset=name,
                suite=suite,
                check_only=check,
                progress=self._progress("rows"),
                busy=lambda what: self.stderr.write(f"Waiting for {what}."),
            )
        except (cases.NotForTheseError, OSError) as error:
            raise CommandError(str(error)) from error

    def _progress(self, what: str) -> cases.Progress:
        """Tell a person at a terminal how far it is, and nobody else."""
        started = told = time.monotonic()

        def tell(rows: int) -> None:
            nonlocal told
            now = time.monotonic()
            if self.stderr.isatty() and now - told >= _SECONDS_BETWEEN_REPORTS:
                told = now
                self.stderr.write(f"\r{rows:,} {what}, {rows / (now - started):,.0f} a second ", ending="")

        return tell

    def _report(self, outcome: Outcome, name: str, *, check: bool) -> None:
        changes = ", ".join(f"{count:,} {kind}" for kind, count in outcome.changes.items())
        if outcome.version and not outcome.is_new:
            self.stdout.write(
                f"{outcome.version} holds exactly these {outcome.rows:,} cases: nothing is new."
            )
        elif check:
            self.stdout.write(f"{outcome.rows:,} cases checked for {name}, nothing is wrong ({changes}).")
        else:
            self.stdout.write(f"{outcome.rows:,} cases imported as {outcome.version} ({changes}).")

    def _refuse(self, outcomes: Iterable[Outcome]) -> None:
        """Name every bad line of every dataset, and save none of them."""
        found = [outcome.problems for outcome in outcomes]
        for problem in (problem for problems in found for problem in problems.kept):
            self.stderr.write(str(problem))
        count = sum(problems.count for problems in found)
        if more := count - sum(len(problems.kept) for problems in found):
            self.stderr.write(f"… and {more:,} more")
        if count:
            raise CommandError(f"{count:,} problem{'' if count == 1 else 's'} found, nothing imported.")


def _found(paths: Sequence[Path], suite: str | None) -> tuple[str, list[Path]]:
    """Find the files, and see from the first of them which suite they are of."""
    files = [file for path in paths for file in _files(path, suite)]
    if suite:
        return suite, files
    guess = uploads.guess_suite(Source(str(files[0]), _chunks(files[0])))
    if not guess:
        raise CommandError(f"{files[0]}: no row to see the suite from; say which with --suite.")
    return guess, [file for path in paths for file in _files(path, guess)]


def _files(path: Path, suite: str | None) -> list[Path]:
    """List a file itself, or those of a folder that may hold cases."""
    if not path.is_dir():
        if not path.exists():
            raise CommandError(f"{path}: no such file or folder.")
        return [path]
    files = [file for file in sorted(path.iterdir()) if file.is_file()]
    lines = [file for file in files if file.suffix.lower() == ".jsonl"]
    benchmarks = [file for file in lines if file.name.lower().startswith("b")]
    others = [file for file in files if file.suffix.lower() in {".jsonl", ".json"}]
    wanted = benchmarks if suite == "ccop" else others if suite else benchmarks or others
    if not wanted:
        raise CommandError(
            f"{path}: no {'b*.jsonl' if suite == 'ccop' else '*.jsonl or *.json'} in this folder."
        )
    return wanted


def _datasets(
    paths: Sequence[Path], files: Sequence[Path], name: str | None, *, each: bool
) -> dict[str, Sequence[Path]]:
    """Say which files go into which dataset: all into one, or each into one of its own."""
    if not each:
        return {_checked(name or _name(paths)): files}
    found: dict[str, Sequence[Path]] = {}
    for file in files:
        own = _checked(f"{name}-{slugify(file.stem)}" if name else slugify(file.stem))
        if own in found:
            raise CommandError(f"{found[own][0]} and {file} would both become {own}: import them one by one.")
        found[own] = [file]
    return found


def _name(paths: Sequence[Path]) -> str:
    """Name a dataset after its folder, or after its only file."""
    first = paths[0].resolve()
    folder = first if first.is_dir() else first.parent
    return slugify(first.stem if len(paths) == 1 and not first.is_dir() else folder.name)


def _checked(name: str) -> str:
    longest = Dataset._meta.get_field("name").max_length or 0
    if not name:
        raise CommandError("Say what the dataset is to be called, with --dataset.")
    if len(name) > longest:
        raise CommandError(
            f"{name!r} has {len(name)} characters, and a dataset's name at most {longest}: "
            "give a shorter one with --dataset."
        )
    if name != slugify(name):
        raise CommandError(f"{name!r} is no name for a dataset: use lower-case letters, digits and dashes.")
    return name


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk
