"""Run a model over a dataset: `evaluate --model ENDPOINT --dataset NAME --output FILE.json`."""

from __future__ import annotations

import json
import re
import sys
import time
from argparse import ArgumentParser, BooleanOptionalAction
from collections.abc import Mapping
from pathlib import Path
from threading import Event, Thread
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.utils import timezone

from scoring import endpoints, phases, progress, results, runs, tasks
from scoring.engine import local, workers
from scoring.models import Dataset, Endpoint, Run, Version

_DIRECT = re.compile(r"(?P<gateway>ollama|openai):(?P<model>.+)@(?P<url>https?://.+)")
_GATEWAYS = {"ollama": "ollama", "openai": "openai_compatible"}
_WIDTH = 30


class Command(BaseCommand):
    """Ask, judge and score, in this process or by the workers; Ctrl-C leaves a run that can be resumed."""

    help = "Run a model over a dataset and sum up what it scored."

    def add_arguments(self, parser: ArgumentParser) -> None:
        model = "an endpoint's name, or ollama:NAME@URL or openai:NAME@URL"
        parser.add_argument("--model", help=model)
        parser.add_argument("--dataset", help="may be left out where there is only one")
        parser.add_argument("--dataset-version", type=int, help="its latest version if not given")
        parser.add_argument("--benchmark", nargs="+", default=[], metavar="B1")
        parser.add_argument("--test-id", nargs="+", default=[], metavar="ID")
        parser.add_argument("--temperature", type=float)
        parser.add_argument("--max-tokens", type=int)
        parser.add_argument("--phase", default="baseline", help=", ".join(phases.THRESHOLDS))
        parser.add_argument("--threshold", type=float, help="instead of the phase's own, 0 to 1")
        parser.add_argument("--samples", type=int, default=1, help="answers to each question")
        parser.add_argument("--noise", nargs="+", type=float, default=[], metavar="R", help="0 to 1, for RGB")
        parser.add_argument("--judge", help=f"who judges Tier 3: {model}")
        parser.add_argument("--base", help="the base model of a fine-tuned one, for the KL shift")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--cache", action=BooleanOptionalAction, default=True, help="reuse known answers")
        parser.add_argument("--save", action=BooleanOptionalAction, default=True, help="keep the run")
        parser.add_argument("--output", type=Path, help="where the results go, as JSON")
        parser.add_argument("--local", action="store_true", help="do all of it here, without workers")
        parser.add_argument("--resume", type=int, metavar="RUN", help="go on with a run that was left")

    def handle(self, *args: Any, **options: Any) -> None:
        run = self._resumed(options["resume"]) if options["resume"] else self._started(options)
        if not options["local"]:
            tasks.ring_for(run)
        try:
            self._watch(run, local_run=options["local"])
        except KeyboardInterrupt:
            run.refresh_from_db()
            if run.state in Run.UNDER_WAY:
                runs.pause(run)
            self.stderr.write(f"\nRun {run.pk} is paused. Go on with: evaluate --resume {run.pk}")
            sys.exit(130)
        run = runs.get(run.pk)
        self._report(run)
        if options["output"]:
            self._write(run, options["output"])
        if not options["save"]:
            run.delete()
        if run.state == Run.State.FAILED:
            raise CommandError(run.reason)

    def _started(self, options: Mapping[str, Any]) -> Run:
        if not options["model"]:
            raise CommandError("Say which model to ask, with --model, or which run to go on with, --resume.")
        run = Run(**_configuration(options))
        for endpoint in filter(None, (run.endpoint, run.judge)):
            found = endpoints.probe(endpoint)
            if not found.answers:
                raise CommandError(f"{endpoint.name}: {found.message}")
        run.save()
        try:
            runs.start(run)
        except runs.RunStateError as error:
            run.delete()
            raise CommandError(str(error)) from error
        return run

    def _resumed(self, run_id: int) -> Run:
        run = Run.objects.filter(pk=run_id).first()
        if run is None:
            raise CommandError(f"There is no run {run_id}.")
        if run.state == Run.State.PAUSED:
            runs.resume(run)
        elif run.state not in Run.UNDER_WAY:
            raise CommandError(f"Run {run_id} is {run.get_state_display().lower()}: nothing is left to do.")
        return run

    def _watch(self, run: Run, *, local_run: bool) -> None:
        """Show the progress until the run has ended; in this process the work is done beside it."""
        stopping = Event()
        driver = Thread(target=_drive, args=(run.pk, stopping), daemon=True) if local_run else None
        if driver:
            driver.start()
        try:
            self._follow(run, driver)
        finally:
            stopping.set()
            if driver:
                driver.join(timeout=30)

    def _follow(self, run: Run, driver: Thread | None) -> None:
        told = ""
        while True:
            run = runs.get(run.pk)
            self._bar(run)
            ended = run.state not in Run.UNDER_WAY and not run.paused_by_portal
            if ended or (driver and not driver.is_alive() and run.state in Run.UNDER_WAY):
                break
            silent = [] if driver else [q for q in workers.silent_queues() if q != "default"]
            words = run.reason or (f"No worker is listening on {', '.join(silent)}." if silent else "")
            if words and words != told:
                self.stderr.write(f"\n{words}")
            told = words
            time.sleep(0.3)
        if sys.stderr.isatty():
            self.stderr.write("")
        if run.state == Run.State.PAUSED:
            raise CommandError(f"Run {run.pk} is paused: {run.reason}")
        if run.state in Run.UNDER_WAY:
            raise CommandError(f"Run {run.pk} stopped; the log says why. Go on with --resume {run.pk}.")

    def _bar(self, run: Run) -> None:
        if not sys.stderr.isatty():
            return
        stages = progress.stages(run)
        stage = next((stage for stage in stages if not stage.complete), stages[-1])
        filled = _WIDTH * stage.through // max(1, stage.total)
        rate = f", {stage.rate:.1f}/s" if stage.rate else ""
        left = f", {_duration(stage.seconds_left)} left" if stage.seconds_left else ""
        count = f"{stage.done}/{stage.total}" + (f", {stage.failed} failed" if stage.failed else "")
        line = f"{stage.name:<9}[{'#' * filled}{'.' * (_WIDTH - filled)}] {count}{rate}{left}"
        self.stderr.write(f"\r{line:<100}", ending="")

    def _report(self, run: Run) -> None:
        summary = run.summary
        self.stdout.write(f"Run {run.pk}: {run.get_state_display().lower()}. {run.reason}".strip())
        if not summary:
            return
        self.stdout.write(
            f"{run.endpoint.name} on {run.version}, {run.phase}, threshold {summary['threshold']:.0%}\n"
        )
        for title in ("benchmark", "difficulty"):
            self._table(title, summary[f"by_{title}"], summary["overall"])
        answers = summary["answers"]
        self.stdout.write(
            f"{answers['done']} answers, {answers['failed']} failed, {answers['from_cache']} from the cache; "
            f"{answers['completion_tokens']} tokens; fabricated: {summary['fabricated']}"
        )

    def _table(self, title: str, groups: Mapping[str, Any], whole: Mapping[str, Any]) -> None:
        head = ("cases", "scored", "pending", "mean", "passed", "pass rate")
        named = {
            code: f"{code} {group.get('name', '')}".strip()[:48] or "–" for code, group in groups.items()
        }
        width = max([len(title), *map(len, named.values()), len("all")])
        self.stdout.write(f"{title:<{width}}" + "".join(f"{column:>11}" for column in head))
        for code, group in [*groups.items(), ("all", whole)]:
            cells = (
                group["cases"], group["scored"], group["pending"], _share(group["mean"]), group["passed"],
                _share(group["pass_rate"]),
            )  # fmt: skip
            self.stdout.write(f"{named.get(code, code):<{width}}" + "".join(f"{cell:>11}" for cell in cells))
        self.stdout.write("")

    def _write(self, run: Run, path: Path) -> None:
        try:
            with path.open("w", encoding="utf-8") as file:
                json.dump(results.document(run), file, ensure_ascii=False, indent=1, default=str)
        except OSError as error:
            raise CommandError(
                f"{path} cannot be written: {error.strerror}. Run {run.pk} is kept in the portal."
            ) from error
        self.stdout.write(f"Results: {path}")


def _drive(run_id: int, stopping: Event) -> None:
    try:
        local.drive(run_id, stopping)
    finally:
        connection.close()


def _configuration(options: Mapping[str, Any]) -> dict[str, Any]:
    try:
        phase = phases.phase(options["phase"])
        phases.threshold(phase, options["threshold"])
    except phases.PhaseError as error:
        raise CommandError(str(error)) from error
    if not 1 <= options["samples"] <= 50:
        raise CommandError("--samples: give a number from 1 to 50.")
    if not all(0 <= level <= 1 for level in options["noise"]):
        raise CommandError("--noise: give shares from 0 to 1.")
    endpoint = _endpoint(options["model"])
    version = _version(options["dataset"], options["dataset_version"])
    return {
        "name": f"{endpoint.model} on {version}, {timezone.localtime():%Y-%m-%d %H:%M}"[:120],
        "version": version,
        "endpoint": endpoint,
        "judge": _endpoint(options["judge"]) if options["judge"] else None,
        "base": _endpoint(options["base"]) if options["base"] else None,
        "phase": phase,
        "threshold": options["threshold"],
        "benchmarks": [code.upper() if code[:1] in "bB" else code for code in options["benchmark"]],
        "test_ids": options["test_id"],
        "parameters": {
            name: options[name] for name in ("temperature", "max_tokens") if options[name] is not None
        },
        "samples": options["samples"],
        "noise_levels": [round(level * 100) for level in options["noise"]],
        "seed": options["seed"],
        "use_cache": options["cache"],
    }


def _endpoint(name: str) -> Endpoint:
    """Find an endpoint by its name, or make one of `ollama:NAME@URL` or `openai:NAME@URL`."""
    if found := Endpoint.objects.filter(name=name).first():
        return found
    direct = _DIRECT.fullmatch(name)
    if not direct:
        known = ", ".join(Endpoint.objects.values_list("name", flat=True)) or "none yet"
        raise CommandError(f"There is no endpoint {name!r}; there are: {known}. Or give ollama:NAME@URL.")
    if len(name) > 80:
        raise CommandError(f"{name!r} is too long for a name: add the endpoint on the Models page.")
    return Endpoint.objects.create(
        name=name, gateway=_GATEWAYS[direct["gateway"]], model=direct["model"], base_url=direct["url"]
    )


def _version(name: str | None, number: int | None) -> Version:
    datasets = Dataset.objects.filter(name=name) if name else Dataset.objects.in_use()
    if len(datasets) != 1:
        known = ", ".join(Dataset.objects.in_use().values_list("name", flat=True)) or "none yet"
        raise CommandError(f"Say which dataset, with --dataset; there are: {known}.")
    versions = datasets[0].versions.filter(number=number) if number else datasets[0].versions.all()
    version = versions.first()
    if version is None:
        raise CommandError(f"There is no such version of {datasets[0].name}.")
    return version


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
