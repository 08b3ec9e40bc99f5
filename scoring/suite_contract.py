"""The contract of every suite: a row goes in; a case, its prompt, its Sample and its overall come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from scoring.measurement import Embed, Sample, TokenScores
from scoring.rows import Benchmark, Row


class Suite(Protocol):
    """What a file in `scoring/suites/` offers; its docstring's first line is its label.

    `fields` is always the `Row.fields` that `read` gave, the row as it was uploaded. Every suite takes
    all the keyword arguments, and leaves alone what it has no use for. A suite that wants token scores has
    models asked for the log-probabilities of their tokens.
    """

    __doc__: str | None
    WANTS_TOKEN_SCORES: bool
    BENCHMARKS: Mapping[str, Benchmark]

    @staticmethod
    def read(row: Mapping[str, Any], benchmarks: Mapping[str, Benchmark]) -> Row:
        """Check one row, or raise RowError with every problem in it.

        `benchmarks` holds the suite's own and those that users registered.
        """

    @staticmethod
    def prompts(fields: Mapping[str, Any], *, noise: float = 0.0, seed: int = 0) -> list[dict[str, str]]:
        """Put the case as chat messages of `role` and `content`: the system's first, the user's last."""

    @staticmethod
    def sample(
        fields: Mapping[str, Any],
        response: str,
        *,
        noise: float = 0.0,
        siblings: Sequence[str] = (),
        tokens: TokenScores | None = None,
        marks: Sequence[Mapping[str, float]] = (),
        embed: Embed | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Sample:
        """Join a case and a response; `Sample.response` is the answer without the model's reasoning."""

    @staticmethod
    def plan(fields: Mapping[str, Any], benchmark: Benchmark) -> Mapping[str, float]:
        """Say which metrics a case takes, with their weights; weight 0 is shown and not counted."""

    @staticmethod
    def overall(values: Mapping[str, float | None], weights: Mapping[str, float]) -> float | None:
        """Bring a case's values together; None when nothing that counts is defined."""

    @staticmethod
    def pending(values: Mapping[str, float | None], benchmark: Benchmark) -> str:
        """Say what the case waits for ("awaiting review", "awaiting judgement"), or "" once it is scored."""

    @staticmethod
    def flags(
        values: Mapping[str, float | None], weights: Mapping[str, float], threshold: float
    ) -> Sequence[str]:
        """Say what a person should look at in the values taken together, besides each metric's own flags."""
