"""Run a model over a dataset: `evaluate --model ENDPOINT --dataset NAME --output FILE.json`."""

from __future__ import annotations

import logging
import sys
import time
from argparse import ArgumentParser, BooleanOptionalAction
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, transaction
from django.db.models import ProtectedError

from scoring import endpoints, phases, results, runs, tasks
from scoring.engine import local, workers
from scoring.management import orders, output, telling
from scoring.management.orders import Order, UsageError
from scoring.models import Endpoint, Run

# What the command ends with besides 0, 1 for an error and 2 for what was typed.
WITHOUT_RESULT, INTERRUPTED = 3, 130
EXIT_CODES = (
    "Exit codes: 0 done (answers may await review), 1 an error, 2 wrong usage or nothing matches, "
    "3 the run failed, was cancelled or was paused, 130 Ctrl-C (--resume goes on)."
)
_LOOK_SECONDS, _JOIN_SECONDS = 0.3, 30.0

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    """Ask, judge and score, in this process or by the workers; Ctrl-C leaves a run that can be resumed."""

    help = "Run a model over a dataset and sum up what it scored."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(prog_name, subcommand, epilog=EXIT_CODES, **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        model = "an endpoint's name, or ollama:NAME@URL or openai:NAME@URL"
        key = "the environment variable with the key"
        default = "the endpoint's own if not given, or else the server's default"
        parser.add_argument("--model", help=model)
        parser.add_argument("--key-variable", default="", metavar="NAME", help=f"{key}, for a model by URL")
        parser.add_argument("--dataset", help="may be left out where there is only one")
        parser.add_argument("--dataset-version", type=int, help="its latest version if not given")
        parser.add_argument("--benchmark", nargs="+", default=[], metavar="B1")
        parser.add_argument("--test-id", nargs="+", default=[], metavar="ID")
        parser.add_argument("--temperature", type=float, help=default)
        parser.add_argument("--max-tokens", type=int, help=default)
        parser.add_argument("--phase", default="baseline", help=", ".join(phases.THRESHOLDS))
        parser.add_argument("--threshold", type=float, help="instead of the phase's own, 0 to 1")
        parser.add_argument("--samples", type=int, default=1, help="answers to each question")
        parser.add_argument("--noise", nargs="+", type=float, default=[], metavar="R", help="0 to 1, for RGB")
        parser.add_argument("--judge", help=f"who judges Tier 3: {model}")
        parser.add_argument("--judge-key-variable", default="", metavar="NAME", help=f"{key}, for --judge")
        parser.add_argument("--base", help="the base model of a fine-tuned one, for the KL shift")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--cache", action=BooleanOptionalAction, default=True, help="reuse known answers")
        parser.add_argument(
            "--save", action=BooleanOptionalAction, default=True, help="keep the run once it has ended"
        )
        parser.add_argument("--output", type=Path, help="where the results go, as JSON")
        parser.add_argument("--local", action="store_true", help="do all of it here, without workers")
        parser.add_argument("--resume", type=int, metavar="RUN", help="go on with a run that was left")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["output"]:
            _check(options["output"])
        run, new = _resumed(options["resume"]) if options["resume"] else _started(options)
        if not options["local"]:
            tasks.ring_for(run)
        try:
            run = self._watched(run, local_run=options["local"])
        except KeyboardInterrupt:
            hint = _resume_hint(run) if run.state == Run.State.PAUSED else ""
            self.stderr.write(f"\nRun {run.pk} is {run.get_state_display().lower()}.{hint}")
            sys.exit(INTERRUPTED)
        for line in telling.report(run):
            self.stdout.write(line)
        if options["output"]:
            self._write(run, options["output"])
        if not options["save"]:
            _forget(run, new)
        if run.state in {Run.State.FAILED, Run.State.CANCELLED}:
            raise CommandError(run.reason, returncode=WITHOUT_RESULT)

    def _watched(self, run: Run, *, local_run: bool) -> Run:
        """Show the progress until the run has ended; in this process the work is done beside it."""
        driver = _Driver(run.pk) if local_run else None
        with driver.at_work() if driver else nullcontext():
            try:
                return self._followed(run, driver)
            except KeyboardInterrupt:
                _pause(run)
                raise

    def _followed(self, run: Run, driver: _Driver | None) -> Run:
        teller = telling.Teller(self.stderr)
        while True:
            # Whoever leaves after this look has left a run that the next look finds ended.
            left = driver if driver and not driver.is_alive() else None
            run = runs.get(run.pk)
            if run.state not in Run.UNDER_WAY and not run.paused_by_portal:
                break
            if left:
                raise CommandError(f"Run {run.pk} stopped: {left.why or run.reason}{_resume_hint(run)}")
            teller.progress(run)
            teller.say(run.reason or _silence(driver))
            time.sleep(_LOOK_SECONDS)
        teller.end(run)
        if run.state == Run.State.PAUSED:
            words = f"Run {run.pk} is paused: {run.reason}{_resume_hint(run)}"
            raise CommandError(words, returncode=WITHOUT_RESULT)
        return run

    def _write(self, run: Run, path: Path) -> None:
        try:
            output.write(path, results.document(run))
        except OSError as error:
            raise CommandError(
                f"{path} cannot be written: {error.strerror}. Run {run.pk} is kept in the portal."
            ) from error
        self.stdout.write(f"Results: {path}")


class _Driver(Thread):
    """Does the work of a run in this process, and remembers what went wrong."""

    def __init__(self, run_id: int) -> None:
        super().__init__(daemon=True)
        self._run_id, self._stopping = run_id, Event()
        self.why = ""

    def run(self) -> None:
        try:
            local.drive(self._run_id, self._stopping)
        except Exception as error:
            logger.exception("The run stopped", extra={"run": self._run_id})
            self.why = f"{type(error).__name__}: {error}"
        finally:
            connection.close()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Let it work until all is told."""
        self.start()
        try:
            yield
        finally:
            self._stopping.set()
            self.join(timeout=_JOIN_SECONDS)


def _check(path: Path) -> None:
    try:
        output.check(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}. Nothing was asked.") from error


def _started(options: Mapping[str, Any]) -> tuple[Run, list[Endpoint]]:
    """Start what was ordered once it is known that somebody answers; nothing of it is kept otherwise."""
    order = orders.read(options)
    for endpoint in filter(None, (order.run.endpoint, order.run.judge)):
        found = endpoints.probe(endpoint)
        if not found.startable:
            raise CommandError(f"{endpoint.name}: {found.message}")
    return _stored(order), order.new


def _stored(order: Order) -> Run:
    try:
        with transaction.atomic():
            run = order.store()
            runs.start(run)
    except runs.RunStateError as error:
        raise UsageError(str(error)) from error
    return run


def _resumed(run_id: int) -> tuple[Run, list[Endpoint]]:
    run = Run.objects.filter(pk=run_id).first()
    if run is None:
        raise UsageError(f"There is no run {run_id}.")
    if run.state == Run.State.PAUSED:
        runs.resume(run)
    elif run.state not in Run.UNDER_WAY:
        raise UsageError(f"Run {run_id} is {run.get_state_display().lower()}: nothing is left to do.")
    return run, []


def _pause(run: Run) -> None:
    """Let the run wait for a person, also where it waited for an endpoint that is away."""
    run.refresh_from_db()
    if run.state in Run.UNDER_WAY or run.paused_by_portal:
        with suppress(runs.RunStateError):  # It has ended in this very moment.
            runs.pause(run)


def _forget(run: Run, new: Sequence[Endpoint]) -> None:
    """Remove a run, and the endpoints that were made for it and that nobody else has used since."""
    Run.objects.filter(pk=run.pk).delete()
    for endpoint in new:
        with suppress(ProtectedError):
            endpoint.delete()


def _silence(driver: _Driver | None) -> str:
    silent = [] if driver else [queue for queue in workers.silent_queues() if queue != "default"]
    return f"No worker is listening on {', '.join(silent)}." if silent else ""


def _resume_hint(run: Run) -> str:
    return f" Go on with: evaluate --resume {run.pk}"
