"""A run goes in; what is unsafe, what is weak and why, and what to collect next, come out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from evalportal.diagnosis import abilities, collecting, fabrications, language
from evalportal.diagnosis.abilities import Abilities
from evalportal.diagnosis.collecting import Need
from evalportal.diagnosis.fabrications import Fabrication
from evalportal.diagnosis.language import Trait
from evalportal.diagnosis.weaknesses import Group, Grouping, Profile
from scoring import diagnosis_rules, scorings
from scoring.diagnosis_rules import Finding, Limits
from scoring.models import Run

State = Run.State

_MOST_FABRICATIONS = 50
# What is asked or scored at this moment says nothing yet.
_UNFINISHED = frozenset({State.DRAFT, State.PAUSED, *Run.UNDER_WAY})


class Diagnosis(NamedTuple):
    """What a run says of its model, or a plain `statement` that it says nothing."""

    run: Run
    limits: Limits
    statement: str = ""
    reservations: tuple[str, ...] = ()
    whole: Group | None = None
    fabrications: tuple[Fabrication, ...] = ()
    fabricated: int = 0
    categories: Grouping | None = None
    benchmarks: Grouping | None = None
    difficulties: Grouping | None = None
    abilities: Abilities | None = None
    traits: tuple[Trait, ...] = ()
    needs: tuple[Need, ...] = ()

    @property
    def findings(self) -> list[Finding]:
        return self.whole.findings if self.whole else []

    @property
    def strengths(self) -> list[Group]:
        return self.categories.standing("strength") if self.categories else []

    @property
    def weaknesses(self) -> list[Group]:
        return self.categories.standing("weakness") if self.categories else []


def diagnose(run: Run, limits: Limits = diagnosis_rules.DEFAULT) -> Diagnosis:
    """Diagnose a run whose answers are scored; of any other, say why there is nothing to diagnose."""
    if run.state in _UNFINISHED:
        return Diagnosis(run, limits, _unfinished(run))
    scoring = scorings.newest(run)
    profile = Profile(scoring, limits) if scoring else None
    if scoring is None or profile is None or not _says_something(profile):
        return Diagnosis(run, limits, _without_scores(run, profile.whole if profile else None))
    benchmarks = profile.by_benchmark()
    suite = profile.suite
    return Diagnosis(
        run=run,
        limits=limits,
        reservations=tuple(_reservations(run, profile.whole)),
        whole=profile.whole,
        fabrications=tuple(fabrications.find(scoring, _MOST_FABRICATIONS))
        if profile.whole.fabricated
        else (),
        fabricated=profile.whole.fabricated,
        categories=profile.by_category() if suite == "ccop" else None,
        benchmarks=benchmarks,
        difficulties=profile.by_difficulty(),
        abilities=abilities.measure(scoring) if suite == "rgb" else None,
        traits=tuple(language.measure(scoring)) if suite == "cybersec" else (),
        needs=tuple(collecting.needs(scoring, benchmarks)),
    )


def _says_something(profile: Profile) -> bool:
    """Tell whether there is a score, or at least language metrics, which do not need one."""
    whole = profile.whole
    return whole.mean.value is not None or (profile.suite == "cybersec" and whole.answers > whole.pending)


def _unfinished(run: Run) -> str:
    return f"This run is {_state(run)}. It is diagnosed once its answers are all there and scored."


def _without_scores(run: Run, whole: Group | None) -> str:
    """Say in plain words why a run that has ended has no score."""
    if run.state == State.FAILED:
        return f"There is nothing to diagnose: every question ended in an error. {run.reason}"
    if whole and whole.pending:
        count = "The answer waits" if whole.pending == 1 else f"All {whole.pending:,} answers wait"
        return f"There is nothing to diagnose yet. {count} for people or for the judge, and none has a score."
    if whole and whole.answers:
        return "There is nothing to diagnose: no metric is defined on any of the answers."
    return f"There is nothing to diagnose: no answer was scored, and the run is {_state(run)}."


def _reservations(run: Run, whole: Group) -> Iterator[str]:
    """Say what the numbers leave out, so that nobody takes them for more than they are."""
    if run.state == State.CANCELLED:
        yield "The run was cancelled: the numbers stand on what had been scored by then."
    if whole.pending:
        yield (
            f"Provisional: {whole.pending:,} of {whole.answers:,} answers still wait for people or for the "
            "judge, and are in no number."
        )
    failed = _answers(run).get("failed")
    if failed:
        yield f"{failed:,} of {_answers(run)['wanted']:,} questions ended in an error, and are in no number."
    if whole.mean.value is None:
        yield "No answer has a combined score: it needs coherence, hallucination and perplexity, all three."
    if whole.mean.n == 1:
        yield "The run has one score. That is an observation, not a measurement: it has no interval."


def _state(run: Run) -> str:
    return run.get_state_display().lower()


def _answers(run: Run) -> dict[str, Any]:
    return dict(run.summary.get("answers", {}))
