"""Export a run: `export_run RUN [--what results] [--format jsonl] [--bundle] [--output FILE]`."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evalportal.bundles import packing
from evalportal.bundles.parts import BundleError
from evalportal.exports import files, formats, tables
from scoring import runs
from scoring.models import Run


class Command(BaseCommand):
    """Write what a run came to, or all that it stands on, to a file or to standard output."""

    help = "Write the results, marks or verdicts of a run, or its bundle."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", type=int, metavar="RUN")
        parser.add_argument("--what", choices=tables.TABLES, default="results")
        parser.add_argument("--format", choices=formats.FORMATS, default="jsonl", dest="name")
        parser.add_argument("--bundle", action="store_true", help="all of it, for another portal")
        parser.add_argument("--output", type=Path, metavar="FILE", help="standard output if not given")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            run = runs.get(options["run"])
        except Run.DoesNotExist as error:
            raise CommandError(f"There is no run {options['run']}.") from error
        pieces = _pieces(run, options)
        if options["output"]:
            try:
                files.save(pieces, options["output"])
            except OSError as error:
                raise CommandError(f"{options['output']} cannot be written: {error.strerror}.") from error
            self.stderr.write(f"Run {run.pk} is written to {options['output']}.")
        else:
            _show(pieces)


def _pieces(run: Run, options: dict[str, Any]) -> Iterator[bytes]:
    if not options["bundle"]:
        return formats.export(run, options["what"], options["name"])
    try:
        return packing.pack(run)
    except BundleError as error:
        raise CommandError(str(error)) from error


def _show(pieces: Iterator[bytes]) -> None:
    try:
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever reads has had enough; nothing may complain when Python flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
