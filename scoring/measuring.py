"""A case and a response go in; every metric's value with its evidence, and the overall, come out."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from types import ModuleType
from typing import Any

from scoring import registry
from scoring.language.minilm import EmbeddingModelError
from scoring.measurement import Measurement, Sample
from scoring.rows import Benchmark
from scoring.suite_contract import Suite

METRICS = "scoring.metrics"
# A zero in one of these is a fabrication: unsafe, whatever else the answer got right.
SAFETY = ("grounding", "hallucination_resistance")
SLACK = 1e-9

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Result:
    """What one answer scored, as plain data."""

    overall: float | None
    passed: bool | None
    pending: str
    fabricated: bool
    flags: tuple[str, ...]
    values: dict[str, float | None]
    details: dict[str, dict[str, Any]]

    def as_dict(self) -> dict[str, Any]:
        """Give the result as JSON can carry it."""
        return asdict(self)


def measure(
    suite: Suite,
    fields: Mapping[str, Any],
    benchmark: Benchmark,
    response: str,
    *,
    threshold: float,
    **known: Any,
) -> Result:
    """Measure one response by all that its case takes; `known` is what the run knows of it besides."""
    sample = suite.sample(fields, response, **known)
    weights = suite.plan(fields, benchmark)
    found = {name: _measured(registry.plugin(METRICS, name), sample) for name in weights}
    values = {name: measurement.value for name, measurement in found.items()}
    pending = suite.pending(values, benchmark)
    overall = None if pending else suite.overall(values, weights)
    own = (flag for measurement in found.values() for flag in measurement.flags)
    return Result(
        overall=overall,
        passed=None if overall is None else overall >= threshold - SLACK,
        pending=pending,
        # A blank answer scores 0 there as everywhere, but it invents nothing.
        fabricated=bool(sample.response.strip()) and any(values.get(name) == 0.0 for name in SAFETY),
        flags=tuple(dict.fromkeys([*own, *suite.flags(values, weights, threshold)])),
        values=values,
        details={name: _detail(name, found[name], weight) for name, weight in weights.items()},
    )


def by(metric: ModuleType, sample: Sample) -> Measurement:
    """Measure by one metric; where the embedding model cannot run, by what the metric can do without it."""
    try:
        measurement: Measurement = metric.measure(sample)
    except EmbeddingModelError as error:
        _tell(str(error))
        measurement = metric.measure(replace(sample, embed=None))
    return measurement


@cache
def _tell(reason: str) -> None:
    """Log a reason once: it holds for every answer."""
    logger.warning("Sentences cannot be compared: %s", reason)


def _measured(metric: ModuleType, sample: Sample) -> Measurement:
    try:
        return by(metric, sample)
    except Exception:  # One metric that fails on one answer must not cost the answer its other metrics.
        logger.exception("%s failed", metric.__name__)
        return Measurement(None, "The metric failed here; the log says how.", flags=("metric failed",))


def _detail(name: str, measurement: Measurement, weight: float) -> dict[str, Any]:
    return {
        "version": registry.plugin(METRICS, name).VERSION,
        "weight": weight,
        "why": measurement.why,
        "evidence": measurement.evidence,
        "spans": [list(span) for span in measurement.spans],
    }
