"""A run and a moment go in; how far its reviews stood then comes out, from the record of decisions alone.

Nothing on that record is ever changed, so a day that is over looks the same whenever one looks back at it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from reviews.events import Verb
from reviews.models import Event, Rubric
from reviews.stats import gate as gates
from reviews.stats import panel as panels
from scoring.models import Run

Marks = Mapping[str, int]

_DECIDED = (Verb.CONFIRMED, Verb.OVERRIDDEN)
_READ = (Verb.MARKED, *_DECIDED, Verb.TAKEN_BACK, Verb.SETTLED, Verb.REVIEWER_ADDED)


class _Item(NamedTuple):
    pk: int
    kind: str
    slots: int
    calibration: int | None
    version: int
    measure: str
    threshold: float
    dispute_spread: int


class _Said(NamedTuple):
    at: datetime
    verb: str
    who: int
    item: int
    response: int
    after: Mapping[str, Any] | None


@dataclass
class Standing:
    """What was to be marked, and what people had said of it; `blind` is by answer, the rest by item."""

    seed: int
    items: list[_Item]
    marks: dict[int, dict[int, Marks]] = field(default_factory=dict)
    blind: dict[int, list[Marks]] = field(default_factory=dict)
    settled: dict[int, Marks] = field(default_factory=dict)
    decided: set[tuple[int, int]] = field(default_factory=set)
    added_later: Counter[int] = field(default_factory=Counter)

    @property
    def drawn(self) -> bool:
        """Say whether verdicts had been drawn for people."""
        return any(item.kind == Rubric.Kind.VALIDATION for item in self.items)

    @property
    def done(self) -> int:
        """Count the items that wanted nothing more: marked by enough people who agree, or settled."""
        return sum(item.pk in self.settled or self._complete(item) for item in self.items)

    def gate(self) -> dict[str, Any] | None:
        """Hold the marks as they stood against the rubric, as the gate of today is held."""
        found = [self._gate_of(kind) for kind in Rubric.Kind.values if self._is_gated(kind)]
        return next((one for one in found if one["met"] is not True), found[0] if found else None)

    def _complete(self, item: _Item) -> bool:
        given = self.marks.get(item.pk, {})
        if item.kind == Rubric.Kind.VALIDATION:
            given = {person: marks for person, marks in given.items() if (item.pk, person) in self.decided}
        enough = len(given) >= item.slots - self.added_later[item.pk]
        return enough and _spread(given) < item.dispute_spread

    def _of(self, kind: str) -> list[_Item]:
        return [item for item in self.items if item.kind == kind and item.calibration is None]

    def _is_gated(self, kind: str) -> bool:
        items = self._of(kind)
        several = any(item.slots - self.added_later[item.pk] > 1 for item in items)
        return bool(items) and (several or kind == Rubric.Kind.RUBRIC)

    def _gate_of(self, kind: str) -> dict[str, Any]:
        rubric = max(self._of(kind), key=lambda item: item.version)
        panel = panels.gather(self._panel(kind))
        found = gates.check(panel, measure=rubric.measure, threshold=rubric.threshold, seed=self.seed)
        about = {"met": found.met, "threshold": found.threshold, "measure": found.measure}
        return {**about, "agreement": asdict(found.agreement)}

    def _panel(self, kind: str) -> Iterator[panels.Mark]:
        """Give every mark, and in its place what was settled."""
        for item in self._of(kind):
            settled = self.settled.get(item.pk, {})
            for person, marks in sorted(self.marks.get(item.pk, {}).items()):
                for criterion, mark in marks.items():
                    yield item.pk, criterion, person, settled.get(criterion, mark)


def stood(run: Run, until: datetime) -> Standing:
    """Go through the record up to a moment."""
    found = Standing(run.seed, _items(run, until))
    rows = Event.objects.filter(run=run.pk, verb__in=_READ, item__isnull=False).order_by("pk")
    for row in rows.values_list(*_Said._fields):
        said = _Said(*row)
        if said.at < until:
            _take_in(found, said)
        elif said.verb == Verb.REVIEWER_ADDED:
            found.added_later[said.item] += 1
    return found


def _take_in(found: Standing, said: _Said) -> None:
    marks = (said.after or {}).get("marks", {})
    if said.verb == Verb.SETTLED:
        found.settled[said.item] = marks
    elif said.verb == Verb.TAKEN_BACK:
        found.marks.get(said.item, {}).pop(said.who, None)
        found.decided.discard((said.item, said.who))
    elif said.verb in {Verb.MARKED, *_DECIDED}:
        found.marks.setdefault(said.item, {})[said.who] = marks
        if said.verb in _DECIDED:
            found.decided.add((said.item, said.who))
        elif (said.after or {}).get("blind", True):
            found.blind.setdefault(said.response, []).append(marks)


def _items(run: Run, until: datetime) -> list[_Item]:
    rubric = ("version", "measure", "threshold", "dispute_spread")
    rows = run.review_items.filter(created_at__lt=until).order_by("pk")
    fields = ("pk", "kind", "slots", "calibration_id", *(f"rubric__{name}" for name in rubric))
    return [_Item(*row) for row in rows.values_list(*fields)]


def _spread(given: Mapping[int, Marks]) -> int:
    """Say how far people are apart at most on one criterion."""
    criteria = {criterion for marks in given.values() for criterion in marks}
    marked = ([marks[name] for marks in given.values() if name in marks] for name in criteria)
    return max((max(values) - min(values) for values in marked), default=0)
