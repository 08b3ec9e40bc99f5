"""The page of an answer: why it scored what it scored, and how it came about."""

from __future__ import annotations

import re
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from django.test import Client

from scoring.engine import local
from scoring.models import Response, Run, Score, Verdict
from tests.engine.making import echo, started, version

SignedIn = Callable[[Any], Client]


@pytest.fixture
def answer(transactional_db: None) -> Response:
    """An answer that is scored."""
    made = started(version(1), echo(reply="The owner reviews the access logs every month."))
    local.drive(made.pk, Event())
    return Response.objects.get(run=made)


def _page(client: Client, answer: Response, **changes: Any) -> str:
    Response.objects.filter(pk=answer.pk).update(**changes)
    return " ".join(re.sub(r"<[^>]+>", " ", client.get(answer.get_absolute_url()).content.decode()).split())


def test_it_shares_the_overall_out_among_the_metrics_that_count(
    dan: Any, answer: Response, signed_in: SignedIn
) -> None:
    counted = signed_in(dan).get(answer.get_absolute_url()).context["counted"]
    given = [metric["gives"] for metric in counted if metric["gives"] is not None]
    assert sum(given) == pytest.approx(Score.objects.get().overall)
    assert sum(metric["most"] for metric in counted if metric["most"] is not None) == pytest.approx(1)


def test_it_answers_why_before_all_else(dan: Any, answer: Response, signed_in: SignedIn) -> None:
    page = _page(signed_in(dan), answer)
    why = page.index(f"Why {Score.objects.get().overall:.2f}")
    assert why < page.index("2 of 3 key facts are covered") < page.index("As the model gave it")


def test_it_leaves_out_what_is_undefined(dan: Any, answer: Response, signed_in: SignedIn) -> None:
    score = Score.objects.get()
    score.values = dict.fromkeys(score.values)
    score.save()
    counted = signed_in(dan).get(answer.get_absolute_url()).context["counted"]
    assert {metric["gives"] for metric in counted} == {None}
    assert "undefined, counts nothing" in _page(signed_in(dan), answer)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("stop", "Finished by itself"),
        ("length", "Stopped at the token limit"),
        ("content_filter", "Stopped by the server&#x27;s content filter"),
        ("weird", "Ended by “weird”"),
    ],
)
def test_it_says_in_words_why_the_model_stopped(
    dan: Any, answer: Response, signed_in: SignedIn, reason: str, words: str
) -> None:
    assert words in _page(signed_in(dan), answer, finish_reason=reason)


def test_it_shows_what_was_noted_and_thought_besides(dan: Any, answer: Response, signed_in: SignedIn) -> None:
    raw = {"notes": ["temperature was refused and left out."], "reasoning": "Logs, I think. <b>"}
    page = _page(signed_in(dan), answer, raw=raw)
    assert "temperature was refused and left out." in page
    assert "The model's reasoning, given apart and not scored Logs, I think. &lt;b&gt;" in page


def test_it_shows_an_answer_with_and_without_the_reasoning_inside_it(
    dan: Any, answer: Response, signed_in: SignedIn
) -> None:
    page = _page(signed_in(dan), answer, content="<think>Hm, logs.</think>Review them.")
    before, after = page.split("As the model gave it, with its reasoning, which is not scored")
    assert "Hm, logs." not in before
    assert "&lt;think&gt;Hm, logs.&lt;/think&gt;Review them." in after


def test_it_says_what_an_answer_took(dan: Any, answer: Response, signed_in: SignedIn) -> None:
    took = {"prompt_tokens": 1200, "completion_tokens": 34, "latency_seconds": 1.23456, "attempts": 3}
    page = _page(signed_in(dan), answer, **took)
    assert "1 200 tokens sent, 34 received 1.23 s 3 attempts" in page
    assert 'title="1.23456 s"' in signed_in(dan).get(answer.get_absolute_url()).content.decode()
    assert "1.23 s when it was asked from the cache" in _page(signed_in(dan), answer, from_cache=True)


def test_it_says_what_an_answer_waits_for(dan: Any, answer: Response, signed_in: SignedIn) -> None:
    waiting = {"state": "waiting", "error_kind": "rate_limited", "error": "Fewer, please."}
    assert "To be asked again: rate limited. Fewer, please." in _page(signed_in(dan), answer, **waiting)


def test_it_says_why_a_verdict_failed(dan: Any, answer: Response, signed_in: SignedIn) -> None:
    Verdict.objects.create(
        run=Run.objects.get(), response=answer, judge_model="echo", prompt_version=1,
        state="failed", error_kind="too_long", error="Too many words.",
    )  # fmt: skip
    assert "Failed: too long. Too many words." in _page(signed_in(dan), answer)
