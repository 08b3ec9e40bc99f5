"""The contract of every metric: a Sample goes in, a Measurement comes out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from numpy.typing import NDArray

Direction = Literal["higher", "lower", "moderate"]
Embed = Callable[[Sequence[str]], "NDArray[Any]"]


class Band(NamedTuple):
    """A named stretch of a metric's range; it includes its lower edge."""

    start: float
    label: str

    @property
    def edge(self) -> str:
        """Say where it begins; the least number above another is told by that other one.

        >>> Band(0.2, "high").edge, Band(math.nextafter(0.0, 1.0), "some").edge, Band(-math.inf, "any").edge
        ('from 0.2', 'above 0', 'from -∞')
        """
        if math.isinf(self.start):
            return "from -∞" if self.start < 0 else "from ∞"
        below = math.nextafter(self.start, -math.inf)
        return f"above {below:g}" if len(repr(below)) < len(repr(self.start)) else f"from {self.start:g}"


class Span(NamedTuple):
    """A stretch of the response, in characters, and what it is evidence of."""

    start: int
    end: int
    kind: Literal["good", "bad", "note"]
    note: str


@dataclass(frozen=True, slots=True)
class TokenScores:
    """What a gateway knows of the answer's tokens; whatever it does not know is None.

    `logprobs` are the natural logarithms of the chosen tokens' probabilities, `top_logprobs` those
    of the likeliest tokens at each position, `logits` one full row of the vocabulary per position.
    """

    logprobs: Sequence[float] | None = None
    top_logprobs: Sequence[Sequence[float]] | None = None
    logits: Any = None
    base_logits: Any = None
    vocabulary: int | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """One response with all that any metric may want to know of it and of its case."""

    response: str
    question: str = ""
    expected_response: str = ""
    expected_label: str | None = None
    key_facts: Sequence[str] = ()
    forbidden_claims: Sequence[str] = ()
    evaluation_criteria: Mapping[str, Any] = field(default_factory=dict)
    clause_reference: str = ""
    benchmark: str = ""
    answers: Any = None
    fake_answer: Any = None
    language: str = "en"
    expected_length: float | None = None
    siblings: Sequence[str] = ()
    tokens: TokenScores | None = None
    marks: Sequence[Mapping[str, float]] = ()
    embed: Embed | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse anything but text where text should be, and name the field."""
        if type(self.response) is type(self.question) is type(self.expected_response) is str:
            return
        for name in ("response", "question", "expected_response"):
            if not isinstance(value := getattr(self, name), str):
                raise TypeError(f"{name}: it must be text, not {type(value).__name__}.")


class Measurement(NamedTuple):
    """A metric's value, or None; why, in one sentence; and the evidence, as plain data.

    `evidence` holds what it takes to recompute the value by hand, `spans` where to mark the
    response, `flags` what a person should look at.
    """

    value: float | None
    why: str
    evidence: Mapping[str, Any] = {}
    spans: Sequence[Span] = ()
    flags: Sequence[str] = ()


class Metric(Protocol):
    """What a file in `scoring/metrics/` offers; its docstring's first line is its label."""

    __doc__: str | None
    VERSION: int
    DIRECTION: Direction
    RANGE: tuple[float, float]
    BANDS: Sequence[Band]
    INPUTS: Sequence[str]
    EXAMPLE: Sample

    @staticmethod
    def measure(sample: Sample) -> Measurement: ...
