"""What a run shall be goes in; how many requests, tokens and reviews that means comes out."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Window
from django.db.models.functions import RowNumber

from scoring import benchmarks, registry, responses
from scoring.models import Case, Endpoint
from scoring.queries import CaseQuerySet
from scoring.questions import levels

# A token is about four bytes: four letters of English, and a little more than one character of Chinese.
BYTES_PER_TOKEN, VERDICT_TOKENS = 4, 700
# So many cases are put as prompts to see how long those are, and of each benchmark at least so many.
SAMPLE, FEWEST = 48, 3


@dataclass(frozen=True)
class Estimate:
    """How much work a run is; `most_completion_tokens` is None where the server alone sets a limit."""

    cases: int
    requests: int
    judge_requests: int
    prompt_tokens: int
    sampled: int
    most_completion_tokens: int | None
    rubric_reviews: int
    validations: int
    token_scores: bool


def estimate(
    cases: CaseQuerySet,
    suite: str,
    *,
    endpoint: Endpoint | None = None,
    samples: int = 1,
    noise_levels: Sequence[int] = (),
    max_tokens: int | None = None,
    judged: bool = False,
    judge_votes: int = 1,
    reviewers: int = 2,
    validation_share: float = 0.2,
) -> Estimate:
    """Count what a run will ask of models and of people."""
    counts = dict(cases.order_by().values_list("benchmark").annotate(Count("pk")))
    asked_at = {code: levels(suite, code, noise_levels) for code in counts}
    answers = samples * sum(n * len(asked_at[code]) for code, n in counts.items())
    routes = {code: known.route for code, known in benchmarks.known(suite).items()}
    rubric, judgement = (
        [n for code, n in counts.items() if routes.get(code) == route] for route in ("tier2", "tier3")
    )
    to_judge = sum(counts.values()) if suite == "cybersec" else sum(judgement)
    judge_requests = to_judge * samples * judge_votes if judged else 0
    asked = responses.parameters_for(suite, endpoint or Endpoint(), {})
    most = max_tokens or asked.get("max_tokens")
    drawn = _drawn(cases, len(counts))
    per_answer = _prompt_tokens(suite, drawn, asked_at, endpoint)
    return Estimate(
        cases=sum(counts.values()),
        requests=answers,
        judge_requests=judge_requests,
        prompt_tokens=samples * sum(n * per_answer[code] for code, n in counts.items())
        + judge_requests * VERDICT_TOKENS,
        sampled=len(drawn),
        most_completion_tokens=answers * most if most else None,
        rubric_reviews=sum(rubric) * samples * reviewers,
        validations=sum(math.ceil(n * samples * validation_share) for n in judgement) if judged else 0,
        token_scores=bool(asked.get("logprobs")),
    )


def _drawn(cases: CaseQuerySet, codes: int) -> list[tuple[str, Mapping[str, Any]]]:
    """Take a few cases of each benchmark, spread evenly over it, always the same."""
    each = max(FEWEST, SAMPLE // max(1, codes))
    place = Window(RowNumber(), partition_by=[F("benchmark")], order_by="pk")
    size = Window(Count("pk"), partition_by=[F("benchmark")])
    # Going round a circle of so many places in so many equal strides, one passes its start on each of them.
    strides = cases.order_by().annotate(over=place * each % size).filter(over__lt=each)
    ids = list(strides.values_list("pk", flat=True))
    return list(Case.objects.filter(pk__in=ids).values_list("benchmark", "fields"))


def _prompt_tokens(
    suite: str,
    drawn: Iterable[tuple[str, Mapping[str, Any]]],
    asked_at: Mapping[str, Sequence[int]],
    endpoint: Endpoint | None,
) -> dict[str, int]:
    """Estimate for each benchmark how long the prompts of one case are, at all its noise levels together."""
    lengths: dict[str, list[int]] = defaultdict(list)
    for code, fields in drawn:
        lengths[code] += _lengths(suite, fields, asked_at[code])
    always = len(endpoint.system_prompt.encode()) if endpoint else 0
    return {
        code: math.ceil(len(asked) * (always + _mean(lengths[code])) / BYTES_PER_TOKEN)
        for code, asked in asked_at.items()
    }


def _lengths(suite: str, fields: Mapping[str, Any], noises: Sequence[int]) -> list[int]:
    prompts = registry.plugin("scoring.suites", suite).prompts
    try:
        made = [prompts(fields, noise=noise / 100) for noise in noises]
    except (AttributeError, LookupError, TypeError, ValueError):
        return []  # What is wrong with a case is told when it is asked.
    return [sum(len(message["content"].encode()) for message in said) for said in made]


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values) if values else 0.0
