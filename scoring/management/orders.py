"""What was typed goes in; a run, and endpoints that are new with it, come out, none of them stored yet."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.core.management.base import CommandError
from django.utils import timezone

from scoring import parameters, phases, questions, responses
from scoring.ccop import benchmarks as codes
from scoring.forms.endpoints import EndpointForm
from scoring.gateway_contract import GatewayError
from scoring.models import Dataset, Endpoint, Run, Version

USAGE = 2
_DIRECT = re.compile(r"(?P<gateway>ollama|openai):(?P<model>.+?)@(?P<url>https?://.+?)/*")
_GATEWAYS = {"ollama": "ollama", "openai": "openai_compatible"}


class UsageError(CommandError):
    """What was typed makes no sense, or matches nothing; the message says what to type."""

    def __init__(self, message: str) -> None:
        super().__init__(message, returncode=USAGE)


class Order(NamedTuple):
    """A run that is wanted, and the endpoints that must be stored before it."""

    run: Run
    new: list[Endpoint]

    def store(self) -> Run:
        """Keep the new endpoints and the run, as a draft."""
        for endpoint in self.new:
            endpoint.save()
        self.run.save()
        return self.run


def read(options: Mapping[str, Any]) -> Order:
    """Check all that was typed, and find what it names, without storing anything."""
    if not options["model"]:
        raise UsageError("Say which model to ask, with --model, or which run to go on with, --resume.")
    _check_numbers(options)
    version = _version(options["dataset"], options["dataset_version"])
    chosen = [codes.code(name) or name for name in options["benchmark"]]
    _check_matches(version, chosen, options["test_id"])
    endpoint = _endpoint("model", options["model"], options["key_variable"])
    judge = endpoint if options["judge"] == options["model"] else None
    if options["judge"] and judge is None:
        judge = _endpoint("judge", options["judge"], options["judge_key_variable"])
    run = Run(
        name=f"{endpoint.model} on {version}, {timezone.localtime():%Y-%m-%d %H:%M}"[:120],
        version=version,
        endpoint=endpoint,
        judge=judge,
        base=_named("base", options["base"]) if options["base"] else None,
        phase=phases.phase(options["phase"]),
        threshold=options["threshold"],
        benchmarks=chosen,
        test_ids=options["test_id"],
        parameters=_parameters(options),
        samples=options["samples"],
        noise_levels=[round(level * 100) for level in options["noise"]],
        seed=options["seed"],
        use_cache=options["cache"],
    )
    _check_parameters(run)
    given = [endpoint, judge] if judge and judge is not endpoint else [endpoint]
    return Order(run, [one for one in given if one.pk is None])


def _check_numbers(options: Mapping[str, Any]) -> None:
    try:
        phases.threshold(phases.phase(options["phase"]), options["threshold"])
    except phases.PhaseError as error:
        raise UsageError(str(error)) from error
    if not 1 <= options["samples"] <= 50:
        raise UsageError("--samples: give a number from 1 to 50.")
    if not all(0 <= level <= 1 for level in options["noise"]):
        raise UsageError("--noise: give shares from 0 to 1.")
    if not 0 <= options["seed"] < 2**31:
        raise UsageError("--seed: give a whole number from 0 up.")


def _version(name: str | None, number: int | None) -> Version:
    datasets = Dataset.objects.filter(name=name) if name else Dataset.objects.in_use()
    if len(datasets) != 1:
        known = ", ".join(Dataset.objects.in_use().values_list("name", flat=True)) or "none yet"
        raise UsageError(f"Say which dataset, with --dataset; there are: {known}.")
    versions = datasets[0].versions.all() if number is None else datasets[0].versions.filter(number=number)
    version = versions.first()
    if version is None:
        raise UsageError(f"There is no such version of {datasets[0].name}.")
    return version


def _check_matches(version: Version, chosen: Sequence[str], test_ids: Sequence[str]) -> None:
    """Refuse a benchmark or a test id that no case has: what is left out in silence is missed too late."""
    found = set(questions.cases(version, chosen).order_by().values_list("benchmark", flat=True).distinct())
    absent = [code for code in dict.fromkeys(chosen) if code not in found]
    if absent := absent or questions.missing(version, chosen, test_ids):
        raise UsageError(questions.refusal(absent))


def _endpoint(option: str, given: str, key_variable: str) -> Endpoint:
    """Find an endpoint by its name, or by what `ollama:NAME@URL` or `openai:NAME@URL` says, or draft it."""
    direct = _DIRECT.fullmatch(given)
    if not direct or Endpoint.objects.filter(name=given).exists():
        if key_variable:
            raise UsageError(f"--{option}: an endpoint of the Models page has its own key variable.")
        return _named(option, given)
    wanted, url = {"gateway": _GATEWAYS[direct["gateway"]], "model": direct["model"]}, direct["url"]
    drafted = _drafted(option, given, {**wanted, "base_url": url, "key_variable": key_variable})
    known = Endpoint.objects.filter(**wanted, base_url__in=(url, f"{url}/")).order_by("pk")
    return (known.filter(key_variable=key_variable) if key_variable else known).first() or drafted


def _named(option: str, name: str) -> Endpoint:
    found = Endpoint.objects.filter(name=name).first()
    if found is None:
        known = ", ".join(Endpoint.objects.values_list("name", flat=True)) or "none yet"
        raise UsageError(
            f"There is no endpoint {name!r} for --{option}; there are: {known}. Or give ollama:NAME@URL."
        )
    return found


def _drafted(option: str, name: str, values: Mapping[str, str]) -> Endpoint:
    """Check an endpoint by the rules of the Models page; a message never repeats the address."""
    if len(name) > 80:
        raise UsageError(f"--{option}: this is too long for a name: add the endpoint on the Models page.")
    plain = Endpoint()
    form = EndpointForm(
        {
            "name": name,
            "max_concurrency": plain.max_concurrency,
            "timeout_seconds": plain.timeout_seconds,
            **values,
        }
    )
    if not form.is_valid():
        words = " ".join(str(message) for messages in form.errors.values() for message in messages)
        raise UsageError(f"--{option}: {words}")
    return form.save(commit=False)


def _parameters(options: Mapping[str, Any]) -> dict[str, Any]:
    """Take what was typed; the rest is the endpoint's own, or the server's default."""
    return {name: options[name] for name in ("temperature", "max_tokens") if options[name] is not None}


def _check_parameters(run: Run) -> None:
    try:
        suite = run.version.dataset.suite
        parameters.read(responses.parameters_for(suite, run.endpoint, run.parameters))
    except GatewayError as error:
        raise UsageError(error.message) from error
