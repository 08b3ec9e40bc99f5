"""A server's status, headers and body go in; the GatewayError that tells people what to do comes out."""

from __future__ import annotations

import email.utils
import json
import re
from collections.abc import Mapping
from typing import Any

from scoring.gateway_contract import GatewayError, Kind
from scoring.wire.cleaning import clean
from scoring.wire.discretion import discreet

_LONGEST_WAIT = 3600.0
_LONGEST_WORDS = 300
_TOO_LONG = re.compile(
    r"context[_ ](length|size|window)|maximum context|too many tokens|prompt is too long|input length|"
    r"too long for the model",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model_not_found|model\b.{0,200}\b(not found|does not exist|not exist|not loaded|unknown)"
    r"|(unknown|invalid|no such) model|no models? (loaded|found)",
    re.IGNORECASE | re.DOTALL,
)
_MAYBE_QUOTA = frozenset({400, 402, 403, 429})
# Codes decide. Words of money stand in plain rate limits, too ("… add a payment method"), and count only
# where nothing else tells and the server does not ask to come again.
_QUOTA_CODES = re.compile(
    r"\b(insufficient_(quota|balance|credits?|funds)|billing_(hard_limit_reached|not_active|error)|"
    r"(credit|usage|spend(ing)?)_limit_(reached|exceeded)|out_of_credits|quota_exhausted)\b",
    re.IGNORECASE,
)
_RATE_CODES = re.compile(r"\b(rate_limit\w*|too_many_requests|requests|tokens|throttl\w*)\b", re.IGNORECASE)
_COME_AGAIN = re.compile(r"\b(re)?try (again )?(in|after)\b|\bper[ -](second|minute|hour)\b", re.IGNORECASE)
_QUOTA_WORDS = re.compile(
    r"exceeded your current quota|insufficient (quota|balance|credits?|funds)|credit balance is too low|"
    r"(ran|run|are) out of credits",
    re.IGNORECASE,
)


class RefusalError(GatewayError):
    """A server answered, but with an error; `status` and `words` are its own."""

    def __init__(self, kind: Kind, message: str, *, status: int, words: str, **rest: Any) -> None:
        super().__init__(kind, message, **rest)
        self.status = status
        self.words = words


def refusal(status: int, headers: Mapping[str, str], body: str, *, secret: str, model: str) -> RefusalError:
    """Make an error of a reply that is no answer."""
    code, words = (_flat(discreet(said, secret)) for said in _said(body))
    wait = retry_after(headers)
    kind, permanent, advice = _judge(status, f"{code} {words}", model)
    if status in _MAYBE_QUOTA and _is_used_up(status, code, words, asked_to_wait=wait is not None):
        kind, permanent = "out_of_quota", True
        advice = f"The account's quota is used up ({status}): see to it, then resume."
    if kind == "unauthorised" and not secret:
        advice = f"The server wants a key ({status}): name the environment variable that holds it."
    said = f" The server says: “{_short(words)}”" if words else ""
    if kind == "redirect":
        said = f" That is {_short(_flat(discreet(headers.get('location', ''), secret))) or 'not said'}."
    return RefusalError(
        kind,
        advice + said,
        status=status,
        words=f"{code} {words}",
        permanent=permanent,
        retry_after=None if permanent else wait,
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Read how long to wait, in seconds; a date is taken against the server's own clock where it gives one.

    >>> retry_after({"retry-after": "Wed, 01 Jan 2025 00:00:30 GMT", "date": "Wed, 01 Jan 2025 00:00:10 GMT"})
    20.0
    """
    value = headers.get("retry-after", "").strip()
    exact = headers.get("retry-after-ms", "").strip()
    if re.fullmatch(r"\d{1,12}(\.\d+)?", exact, re.ASCII):
        return min(float(exact) / 1000, _LONGEST_WAIT)
    if not value:
        return None
    if re.fullmatch(r"\d{1,9}(\.\d+)?", value, re.ASCII):
        return min(float(value), _LONGEST_WAIT)
    until = _moment(value)
    now = _moment(headers.get("date", "")) or _moment(email.utils.formatdate(usegmt=True))
    return None if until is None or now is None else min(max(until - now, 0.0), _LONGEST_WAIT)


def _judge(status: int, words: str, model: str) -> tuple[Kind, bool, str]:
    """Say what kind of fault it is, whether it will stay, and what to do about it."""
    if status in range(300, 400):
        return "redirect", True, f"The server redirects ({status}): give the address that it points to."
    if status in {401, 403}:
        return "unauthorised", True, f"The server refuses access ({status}): check the key."
    if status == 429:
        return "rate_limited", False, "The server asks for fewer requests (429): lower the concurrency."
    if status in {408, 504}:
        return "timeout", False, f"The server itself ran out of time ({status})."
    if status in {409, 425} or status >= 500:
        return "server_error", status in {501, 505}, f"The server failed ({status})."
    if status == 413 or _TOO_LONG.search(words):
        return "too_long", True, f"The prompt is too long for the model ({status})."
    if _NO_MODEL.search(words):
        return "unknown_model", True, f"The server has no model “{model}” ({status}): pick one that it lists."
    if status in {404, 405}:
        return "wrong_address", True, f"There is no such interface at this address ({status}): check it."
    return "refused", True, f"The server does not take this request ({status})."


def _is_used_up(status: int, code: str, words: str, *, asked_to_wait: bool) -> bool:
    """Tell a quota that is used up from a rate that is too high: by the code, and by words only at last."""
    if status == 402 or _QUOTA_CODES.search(code):
        return True
    if status != 429 or asked_to_wait or _RATE_CODES.search(code) or _COME_AGAIN.search(words):
        return False
    return bool(_QUOTA_WORDS.search(words))


def _said(body: str) -> tuple[Any, Any]:
    """Find the codes and the message in an error's body; a web page says nothing."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return "", "" if body.lstrip().startswith("<") else body
    if isinstance(data, list) and data:  # as Google's servers wrap it
        data = data[0]
    if not isinstance(data, dict):
        return "", ""
    error = data.get("error", data)
    if not isinstance(error, dict):
        return "", error
    codes = (error.get(name) for name in ("code", "type", "status", "param"))
    words = error.get("message") or error.get("detail") or error.get("error") or ""
    return " ".join(str(code) for code in codes if isinstance(code, str | int) and code), words


def _flat(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return clean(" ".join(text.split()))[0]


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_WORDS else f"{text[:_LONGEST_WORDS]}…"


def _moment(value: str) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(value).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
