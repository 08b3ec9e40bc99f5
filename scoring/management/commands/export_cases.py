"""Export cases: `export_cases DATASET [--version N] [--output FILE]`."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring import cases
from scoring.management import tables
from scoring.models import Dataset, Version


class Command(BaseCommand):
    """Give back what was imported, in the order it came in."""

    help = "Write the cases of a dataset as JSON lines."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Let our --version take the place of the one that every command has."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset", metavar="DATASET")
        parser.add_argument("--version", type=int, dest="number", metavar="N", help="the latest if not given")
        parser.add_argument("--output", type=Path, metavar="FILE", help="standard output if not given")

    def handle(self, *args: Any, **options: Any) -> None:
        tables.require()
        version = _version(options["dataset"], options["number"])
        if options["output"]:
            self._save(version, options["output"])
        else:
            self._show(version)

    def _save(self, version: Version, path: Path) -> None:
        """Write a file that is there whole or not at all."""
        unfinished = path.with_name(f"{path.name}.part")
        try:
            with unfinished.open("wb") as file:
                file.writelines(cases.export(version))
            unfinished.replace(path)
        except OSError as error:
            raise CommandError(str(error)) from error
        self.stderr.write(f"{version.case_count:,} cases of {version} written to {path}.")

    def _show(self, version: Version) -> None:
        try:
            for chunk in cases.export(version):
                self.stdout.write(chunk.decode(), ending="")
            self.stdout.flush()
        except BrokenPipeError:
            # Whoever reads has had enough; nothing may complain when Python flushes at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _version(name: str, number: int | None) -> Version:
    dataset = Dataset.objects.filter(name=name).first()
    if not dataset:
        known = ", ".join(Dataset.objects.values_list("name", flat=True)) or "none"
        raise CommandError(f"There is no dataset {name!r}; there are: {known}.")
    versions = dataset.versions.all() if number is None else dataset.versions.filter(number=number)
    version = versions.first()
    if not version:
        raise CommandError(f"The dataset {name} has no version{'' if number is None else f' {number}'}.")
    return version
