"""Score answers made elsewhere: `score FILE.jsonl --suite ccop --output OUT.jsonl`."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

from django.core.management.base import BaseCommand, CommandError

from scoring import benchmarks, phases, registry
from scoring.language import embeddings
from scoring.models import Case, Dataset
from scoring.offline import Scorer


class Command(BaseCommand):
    """Write every metric of every line, with its evidence and the overall."""

    help = "Score answers made elsewhere. A line holds a response and its case, or the id of a case."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="JSON lines with a response each")
        parser.add_argument("--suite", required=True, choices=list(registry.plugins("scoring.suites")))
        parser.add_argument("--dataset", help="where ids are looked up, in its latest version")
        parser.add_argument("--phase", default="baseline", choices=list(phases.THRESHOLDS))
        parser.add_argument("--threshold", type=float, help="instead of the phase's own, 0 to 1")
        parser.add_argument("--output", type=Path, help="where to write; standard output otherwise")

    def handle(self, *args: Any, **options: Any) -> None:
        scorer = self._scorer(options)
        with ExitStack() as stack:
            lines = stack.enter_context(_opened(options["file"]))
            out: Any = self.stdout
            if options["output"]:
                out = stack.enter_context(options["output"].open("w", encoding="utf-8"))
            scored = bad = 0
            for found in scorer.score(lines):
                out.write(json.dumps(found.output, ensure_ascii=False, default=list) + "\n")
                scored, bad = scored + (not found.problem), bad + bool(found.problem)
                if found.problem:
                    self.stderr.write(f"{options['file']}:{found.line}: {found.problem}")
                self._progress(scored, bad)
        self.stderr.write(f"{scored} scored, {bad} refused.")
        if bad:
            raise CommandError(f"{bad} lines were not scored; their reasons stand above and in the output.")

    def _progress(self, scored: int, bad: int) -> None:
        if sys.stderr.isatty() and (scored + bad) % 20 == 0:
            self.stderr.write(f"\r{scored} scored, {bad} refused", ending="")

    def _scorer(self, options: Mapping[str, Any]) -> Scorer:
        suite = options["suite"]
        try:
            threshold = phases.threshold(options["phase"], options["threshold"])
        except ValueError as error:
            raise CommandError(str(error)) from error
        cases = _cases(suite, options["dataset"])
        module: Any = registry.plugin("scoring.suites", suite)
        return Scorer(module, benchmarks.known(suite), threshold, embeddings.embed, cases.get)


def _cases(suite: str, name: str | None) -> dict[str, Mapping[str, Any]]:
    """Read the cases that ids may name: those of one dataset, or of the suite's only one."""
    datasets = Dataset.objects.filter(suite=suite, **({"name": name} if name else {}))
    if name and not datasets:
        raise CommandError(f"There is no dataset {name!r} of the suite {suite}.")
    latest = [version for dataset in datasets if (version := dataset.versions.first())]
    rows = Case.objects.filter(memberships__version__in=latest).values_list("key", "fields")
    return dict(rows.iterator(chunk_size=1000))


def _opened(path: Path) -> TextIO:
    try:
        return path.open(encoding="utf-8-sig")
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
