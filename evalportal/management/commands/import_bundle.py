"""Import a run that another portal bundled: `import_bundle FILE`."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evalportal.bundles import unpacking
from evalportal.bundles.parts import BundleError


class Command(BaseCommand):
    """Bring a run in with all that it stands on, and check that it comes to the same numbers."""

    help = "Import the bundle of a run: cases, answers, verdicts, scores, marks and decisions."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with options["file"].open("rb") as file:
                run = unpacking.unpack(file)
        except (BundleError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(unpacking.statement(run))
