"""What a run shall be goes in; how many requests, tokens and reviews that means comes out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Avg, Count
from django.db.models.functions import Length

from scoring import benchmarks as known_benchmarks
from scoring.queries import CaseQuerySet
from scoring.questions import levels

# A token of English is about four characters; instructions around a question take about this many more.
CHARACTERS_PER_TOKEN, INSTRUCTION_TOKENS, VERDICT_TOKENS = 4, 150, 700


@dataclass(frozen=True)
class Estimate:
    """How much work a run is."""

    cases: int
    requests: int
    judge_requests: int
    prompt_tokens: int
    most_completion_tokens: int
    rubric_reviews: int
    validations: int


def estimate(
    cases: CaseQuerySet,
    suite: str,
    *,
    samples: int = 1,
    noise_levels: Sequence[int] = (),
    max_tokens: int = 512,
    judged: bool = False,
    judge_votes: int = 1,
    reviewers: int = 2,
    validation_share: float = 0.2,
) -> Estimate:
    """Count what a run will ask of models and of people."""
    routes = known_benchmarks.known(suite)
    counts = dict(cases.order_by().values_list("benchmark").annotate(Count("pk")))
    by_route = {
        route: [n for code, n in counts.items() if code in routes and routes[code].route == route]
        for route in ("tier2", "tier3")
    }
    total = sum(counts.values())
    answers = samples * sum(n * len(levels(suite, code, noise_levels)) for code, n in counts.items())
    to_judge = total if suite == "cybersec" else sum(by_route["tier3"])
    judge_requests = to_judge * samples * judge_votes if judged else 0
    length = cases.order_by().aggregate(mean=Avg(Length("question")))["mean"] or 0
    per_prompt = INSTRUCTION_TOKENS + math.ceil(length / CHARACTERS_PER_TOKEN)
    return Estimate(
        cases=total,
        requests=answers,
        judge_requests=judge_requests,
        prompt_tokens=answers * per_prompt + judge_requests * VERDICT_TOKENS,
        most_completion_tokens=answers * max_tokens,
        rubric_reviews=sum(by_route["tier2"]) * samples * reviewers,
        validations=sum(math.ceil(n * samples * validation_share) for n in by_route["tier3"])
        if judged
        else 0,
    )
