"""Print the diagnosis of a run as a PDF: `report RUN [--output FILE]`."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evalportal.diagnosis import printing
from scoring import runs
from scoring.models import Run


class Command(BaseCommand):
    """Print what the portal shows as the diagnosis; no server has to run."""

    help = "Write the diagnosis of a run as a PDF, printed by Chromium."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", type=int, metavar="RUN")
        parser.add_argument("--output", type=Path, metavar="FILE", help="run-RUN-diagnosis.pdf if not given")
        parser.add_argument("--browser", default="", metavar="PROGRAM", help="the Chromium to print with")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            run = runs.get(options["run"])
        except Run.DoesNotExist as error:
            raise CommandError(f"There is no run {options['run']}.") from error
        path = options["output"] or Path(f"run-{run.pk}-diagnosis.pdf")
        try:
            printing.pdf(run, path, options["browser"])
        except (printing.PrintingError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"The diagnosis of run {run.pk} is in {path}.")
