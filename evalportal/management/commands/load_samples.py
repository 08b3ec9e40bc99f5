"""Load the samples: cases of all suites, people to sign in as, and the small model, if it runs."""

from __future__ import annotations

import io
import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from evalportal.demo import PEOPLE
from evalportal.models import Person
from scoring.models import Dataset, Endpoint

SAMPLES: Path = settings.BASE_DIR / "samples"
SUITES = ("ccop", "rgb", "cybersec")
MODEL = "SmolLM2 135M (in the box)"


class Command(BaseCommand):
    """Bring the samples up to date; a second time it finds nothing to do."""

    help = "Load the sample cases, the sample people and the small model."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--force", action="store_true", help="also where this is no demo")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEMO and not options["force"]:
            raise CommandError(
                "The passwords of the sample people are known to everyone: they are only for a demo. "
                "Set EVALPORTAL_DEMO=1, or use --force if you know better."
            )
        for person in PEOPLE:
            if not Person.objects.filter(username=person.username).exists():
                Person.objects.create_user(**person._asdict())
        # Whoever starts a demo wants to read one line, and that is not about samples.
        words = self.stdout if options["verbosity"] > 1 else io.StringIO()
        retired = Dataset.objects.retired().values_list("name", flat=True)
        for suite in SUITES:
            if f"{suite}-samples" in retired:
                continue  # Somebody has put them away.
            call_command(
                "import_cases", SAMPLES / suite, suite=suite, dataset=f"{suite}-samples", stdout=words
            )
        self._register_model()

    def _register_model(self) -> None:
        """Say where the small model answers: its port may be another at each start."""
        url, name = os.environ.get("EVALPORTAL_MODEL_URL"), os.environ.get("EVALPORTAL_MODEL_NAME")
        if not url or not name:
            return
        base_url = url if url.rstrip("/").endswith("/v1") else f"{url.rstrip('/')}/v1"
        values = {"gateway": "openai_compatible", "base_url": base_url, "model": name}
        Endpoint.objects.update_or_create(name=MODEL, defaults=values)
