"""How much work a run will be: prompts as they are really put, tokens, and who sets the limit."""

from __future__ import annotations

from typing import Any

import pytest

from scoring import estimates, questions
from scoring.estimates import Estimate
from scoring.models import Endpoint, Version
from scoring.suites import rgb
from tests.engine.making import fields, version

pytestmark = pytest.mark.django_db


def estimate(made: Version, **options: Any) -> Estimate:
    return estimates.estimate(questions.cases(made), made.dataset.suite, **options)


def test_it_counts_the_documents_of_a_prompt() -> None:
    said = rgb.prompts(fields("rgb", 1, "noise_robustness"))
    length = sum(len(message["content"].encode()) for message in said)
    found = estimate(version(9, suite="rgb", benchmark="noise_robustness"), samples=2)
    assert length > 3 * len(fields("rgb", 1, "noise_robustness")["query"])
    assert found.prompt_tokens == 9 * 2 * -(-length // 4)


def test_it_counts_every_level_of_noise() -> None:
    made = version(3, suite="rgb", benchmark="noise_robustness")
    once, twice = estimate(made), estimate(made, noise_levels=[0, 40])
    assert (once.requests, twice.requests) == (3, 6)
    assert twice.prompt_tokens == pytest.approx(2 * once.prompt_tokens, rel=0.05)


def test_it_puts_only_a_few_of_many_cases(django_assert_num_queries: Any) -> None:
    made = version(400)
    with django_assert_num_queries(4):
        found = estimate(made)
    assert (found.cases, found.sampled) == (400, estimates.SAMPLE)


def test_it_estimates_although_a_case_is_broken() -> None:
    whole, broken = estimate(version(4)), estimate(version(4, broken=2))
    assert broken.prompt_tokens == pytest.approx(whole.prompt_tokens, rel=0.05)


def test_it_counts_what_the_endpoint_says_before_every_prompt() -> None:
    made = version(10)
    plain, more = estimate(made), estimate(made, endpoint=Endpoint(system_prompt="Be brief." * 40))
    assert more.prompt_tokens - plain.prompt_tokens == 10 * 90


def test_it_counts_a_character_of_chinese_as_most_of_a_token() -> None:
    plain, chinese = estimate(version(2)), estimate(version(2, words="安" * 400))
    assert chinese.prompt_tokens - plain.prompt_tokens == pytest.approx(2 * 300, abs=2)


def test_it_knows_no_limit_of_tokens_that_nobody_has_set() -> None:
    made, limited = version(2), Endpoint(parameters={"max_tokens": 100})
    assert estimate(made).most_completion_tokens is None
    assert estimate(made, endpoint=limited).most_completion_tokens == 200
    assert estimate(made, endpoint=limited, max_tokens=7).most_completion_tokens == 14


def test_it_says_whether_token_scores_will_be_asked_for() -> None:
    ranked = version(1, suite="cybersec", benchmark="cybersecurity_answers")
    assert estimate(ranked).token_scores
    assert not estimate(ranked, endpoint=Endpoint(parameters={"logprobs": False})).token_scores
    assert not estimate(version(1)).token_scores


def test_it_estimates_nothing_where_no_case_matches() -> None:
    found = estimates.estimate(questions.cases(version(1), ["B9"]), "ccop", max_tokens=9)
    assert (found.cases, found.prompt_tokens, found.most_completion_tokens) == (0, 0, 0)
