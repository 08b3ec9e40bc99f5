"""What servers say when they refuse: a rate or a quota, and never with the key in it."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest

from scoring.gateway_contract import Target
from scoring.wire.exchange import Exchanged
from scoring.wire.refusals import RefusalError, refusal
from scoring.wire.replies import Parts, reply

RATE = (
    "Rate limit reached for gpt-4o in organization org-x on requests per min (RPM): Limit 3, Used 3. "
    "Please try again in 20s. Visit https://platform.openai.com/account/rate-limits to learn more. You can "
    "increase your rate limit by adding a payment method to your account at "
    "https://platform.openai.com/account/billing."
)
QUOTA = "You exceeded your current quota, please check your plan and billing details."


def said(status: int, error: Any, secret: str = "", **headers: str) -> RefusalError:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return refusal(status, named, json.dumps({"error": error}), secret=secret, model="m")


@pytest.mark.parametrize(
    ("error", "headers"),
    [
        ({"message": RATE, "type": "requests", "code": "rate_limit_exceeded"}, {"retry_after": "20"}),
        ({"message": RATE, "type": "requests", "code": "rate_limit_exceeded"}, {}),
        ({"message": RATE}, {}),
        ({"message": "Add a payment method to go faster."}, {}),
        ({"message": "Slow down.", "type": "rate_limit_error"}, {}),
        ({"message": f"{QUOTA} Please retry in 21.4s.", "code": 429, "status": "RESOURCE_EXHAUSTED"}, {}),
        ({"message": QUOTA}, {"retry_after": "7"}),
        ("Too many requests.", {}),
    ],
)
def test_it_comes_back_later_when_only_the_rate_is_too_high(error: Any, headers: dict[str, str]) -> None:
    refused = said(429, error, **headers)
    assert (refused.kind, refused.permanent) == ("rate_limited", False)
    assert refused.retry_after == (float(headers["retry_after"]) if headers else None)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (429, {"message": QUOTA, "type": "insufficient_quota", "code": "insufficient_quota"}),
        (429, {"message": "No.", "type": "insufficient_quota", "code": None}),
        (429, {"message": QUOTA}),
        (403, {"message": "No.", "code": "insufficient_quota"}),
        (400, {"message": "Billing hard limit has been reached", "code": "billing_hard_limit_reached"}),
        (402, {"message": "Insufficient Balance"}),
    ],
)
def test_it_stops_when_the_quota_is_used_up(status: int, error: Any) -> None:
    refused = said(status, error)
    assert (refused.kind, refused.permanent, refused.retry_after) == ("out_of_quota", True, None)


def test_it_reads_an_error_that_comes_in_a_list() -> None:
    body = json.dumps([{"error": {"code": 404, "message": "models/x is not found for this version."}}])
    assert "models/x is not found" in refusal(404, {}, body, secret="", model="x").message


def test_it_waits_for_the_thousandths_that_a_server_names() -> None:
    assert said(429, "Slow down.", retry_after="1", retry_after_ms="350").retry_after == 0.35


@pytest.mark.parametrize("key", ["sk-secret-0123456789", "sk/with+signs=", 'sk"quoted'])
@pytest.mark.parametrize("before", [0, 285, 299, 400])
def test_it_hides_the_key_before_it_shortens_what_was_said(key: str, before: int) -> None:
    spellings = (key, quote(key, safe=""), quote(key, safe="").lower())
    for spelling in spellings:
        refused = said(401, {"message": "x" * before + spelling, "code": spelling}, key)
        kept = refused.message + refused.words
        assert not any(part[:8] in kept for part in spellings)


def test_it_hides_a_key_that_was_given_with_a_line_break() -> None:
    assert "sk-secret" not in said(401, {"message": "Wrong: sk-secret."}, "sk-secret\n").message


def test_it_hides_the_key_in_the_place_that_a_server_points_to() -> None:
    refused = refusal(302, {"location": f"/in?key={quote('sk/1')}&k=sk%2f1"}, "", secret="sk/1", model="m")
    assert "That is /in?key=…&k=…." in refused.message


def test_it_hides_the_key_in_what_a_server_tells_of_itself() -> None:
    parts = Parts(
        "Yes.", finish_reason="sk-secret", raw={"id": "x" * 495 + "sk-secret", "timings": {"by": "sk-secret"}}
    )
    kept = reply(Exchanged({}, 0.1), parts, Target("m", key="sk-secret"), None)
    assert "sk-s" not in repr((kept.raw, kept.finish_reason))
