"""Load the samples: cases of all suites, people to sign in as, and the small model, if it runs."""

from __future__ import annotations

import io
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from evalportal import demo, small_model
from evalportal.models import Person
from scoring.models import Dataset, Version

SAMPLES: Path = settings.BASE_DIR / "samples"
SUITES = ("ccop", "rgb", "cybersec")


class Command(BaseCommand):
    """Bring the samples up to date; a second time it finds nothing to do."""

    help = "Load the sample cases, the sample people and the small model."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--force", action="store_true", help="also where this is no demo: cases, not people"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEMO and not options["force"]:
            raise CommandError(
                "The passwords of the sample people are known to everyone: they are only for a demo. "
                "Set EVALPORTAL_DEMO=1, or use --force to load the cases without the people."
            )
        if settings.DEMO:
            _add_people()
        # Whoever starts a demo wants to read one line, and that is not about samples.
        words = self.stdout if options["verbosity"] > 1 else io.StringIO()
        retired = Dataset.objects.retired().values_list("name", flat=True)
        for suite in SUITES:
            if not _is_somebodys(name := f"{suite}-samples") and name not in retired:
                call_command("import_cases", SAMPLES / suite, suite=suite, dataset=name, stdout=words)
        small_model.register()


def _add_people() -> None:
    known = set(Person.objects.values_list("username", flat=True))
    if not demo.is_for(known):
        raise CommandError(
            "This database has people of its own, and a demo would add some whose passwords everyone knows: "
            "unset DATABASE_URL or EVALPORTAL_VAR, so that the demo has a database to itself."
        )
    for person in demo.PEOPLE:
        if person.username not in known:
            Person.objects.create_user(**person._asdict())


def _is_somebodys(dataset: str) -> bool:
    """Say whether a person made the latest version of a dataset: the samples must not take its place."""
    latest = Version.objects.filter(dataset__name=dataset).first()
    return latest is not None and latest.created_by_id is not None
