"""A metric goes in; its page of the handbook comes out, with an example that its own code computes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields, replace
from types import ModuleType
from typing import Any, NamedTuple

from scoring import measuring, registry
from scoring.language import embeddings
from scoring.measurement import Measurement, Sample, TokenScores

METRICS = "scoring.metrics"
_TOKEN_FIELDS = {field.name for field in fields(TokenScores)}
_SECTION = re.compile(r"([A-Z][A-Za-z ]{2,24}):\s+(.*)", re.DOTALL)


class InputError(ValueError):
    """What was typed into a field cannot be read; `field` names it."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field


class Chapter(NamedTuple):
    """What the handbook says of one metric."""

    name: str
    label: str
    intro: list[str]
    sections: list[tuple[str, str]]
    module: ModuleType


def chapters() -> list[Chapter]:
    """Read every metric's chapter, in alphabetical order of their labels."""
    return sorted(
        (chapter(name) for name in registry.plugins(METRICS)), key=lambda found: found.label.lower()
    )


def chapter(name: str) -> Chapter:
    """Read one metric's chapter out of its docstring."""
    module = registry.plugin(METRICS, name)
    paragraphs = re.split(r"\n\s*\n", (module.__doc__ or "").strip())[1:]
    paragraphs = [paragraph for paragraph in paragraphs if not paragraph.lstrip().startswith(">>>")]
    matches = [(paragraph, _SECTION.fullmatch(paragraph.strip())) for paragraph in paragraphs]
    return Chapter(
        name,
        registry.label(module),
        [paragraph for paragraph, match in matches if not match],
        [(match.group(1), match.group(2)) for _, match in matches if match],
        module,
    )


def measure(module: ModuleType, sample: Sample) -> Measurement:
    """Compute a metric, with the real embeddings where it wants any."""
    return measuring.by(module, replace(sample, embed=embeddings.embed))


def band(module: ModuleType, value: float | None) -> str:
    """Name the band that a value falls into; bands include their lower edge."""
    if value is None:
        return ""
    reached = [found.label for found in module.BANDS if value >= found.start]
    return reached[-1] if reached else ""


def inputs(module: ModuleType) -> tuple[str, ...]:
    """List the fields that someone types to try a metric: the response, and what else it reads."""
    return tuple(dict.fromkeys(("response", *module.INPUTS)))


def sample_from(typed: Mapping[str, str], names: tuple[str, ...]) -> Sample:
    """Read what someone typed into the fields of a metric."""
    values = {field: _READERS[field](field, typed.get(field, "")) for field in names}
    return Sample(**{"response": "", **values})


def typed_from(sample: Sample, names: tuple[str, ...]) -> dict[str, str]:
    """Write a sample as someone would have typed it."""
    return {field: _WRITERS.get(_READERS[field], _plain)(getattr(sample, field)) for field in names}


def _text(field: str, typed: str) -> str:
    return typed


def _lines(field: str, typed: str) -> list[str]:
    return [line.strip() for line in typed.splitlines() if line.strip()]


def _blocks(field: str, typed: str) -> list[str]:
    return [block.strip() for block in re.split(r"(?m)^-{3,}\s*$", typed) if block.strip()]


def _number(field: str, typed: str) -> float | None:
    if not typed.strip():
        return None
    try:
        return float(typed)
    except ValueError:
        raise InputError(field, "Type a number.") from None


def _answers(field: str, typed: str) -> list[Any] | None:
    parts = [[one.strip() for one in line.split(" | ")] for line in _lines(field, typed)]
    return [part if len(part) > 1 else part[0] for part in parts] or None


def _json(field: str, typed: str) -> dict[str, Any]:
    try:
        value = json.loads(typed or "{}")
    except ValueError as error:
        raise InputError(field, f"This is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise InputError(field, "Type a JSON object, such as {}.")
    return value


def _marks(field: str, typed: str) -> list[dict[str, float]]:
    """Read one reviewer a line, such as `accuracy=4, clarity=5`."""
    try:
        return [
            {name.strip(): float(mark) for name, mark in (pair.split("=") for pair in line.split(","))}
            for line in _lines(field, typed)
        ]
    except ValueError:
        raise InputError(field, "Type one reviewer a line, such as: accuracy=4, clarity=5.") from None


def _tokens(field: str, typed: str) -> TokenScores | None:
    """Read what a gateway knows of the tokens, under its own names, such as `{"logprobs": [-0.1]}`."""
    values = _json(field, typed)
    if unknown := sorted(values.keys() - _TOKEN_FIELDS):
        raise InputError(field, f"There is no {unknown[0]}; there are: {', '.join(sorted(_TOKEN_FIELDS))}.")
    return TokenScores(**values) if values else None


def _written_tokens(tokens: TokenScores | None) -> str:
    known = {name: getattr(tokens, name, None) for name in sorted(_TOKEN_FIELDS)}
    return _written_json({name: value for name, value in known.items() if value is not None})


def _written_json(value: Mapping[str, Any]) -> str:
    """Write an object as JSON; arrays of numbers become lists."""
    return json.dumps(dict(value), ensure_ascii=False, default=lambda array: array.tolist()) if value else ""


def _plain(value: Any) -> str:
    return "" if value is None else str(value)


_READERS: dict[str, Any] = {
    "response": _text,
    "question": _text,
    "expected_response": _text,
    "expected_label": _text,
    "clause_reference": _text,
    "benchmark": _text,
    "language": _text,
    "key_facts": _lines,
    "forbidden_claims": _lines,
    "siblings": _blocks,
    "answers": _answers,
    "fake_answer": _answers,
    "expected_length": _number,
    "evaluation_criteria": _json,
    "settings": _json,
    "marks": _marks,
    "tokens": _tokens,
}
_WRITERS: dict[Any, Any] = {
    _lines: "\n".join,
    _blocks: "\n---\n".join,
    _json: _written_json,
    _marks: lambda value: "\n".join(", ".join(f"{k}={v:g}" for k, v in one.items()) for one in value),
    _tokens: _written_tokens,
    _answers: lambda value: "\n".join(
        " | ".join(part) if isinstance(part, list | tuple) else str(part)
        for part in (value if isinstance(value, list | tuple) else [value] if value else [])
    ),
}
