"""A server's status, headers and body go in; the GatewayError that tells people what to do comes out."""

from __future__ import annotations

import email.utils
import json
import re
from collections.abc import Mapping
from typing import Any

from scoring.gateway_contract import GatewayError, Kind
from scoring.wire.cleaning import clean

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
_NO_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing|payment", re.IGNORECASE)


class RefusalError(GatewayError):
    """A server answered, but with an error; `status` and `words` are its own."""

    def __init__(self, kind: Kind, message: str, *, status: int, words: str, **rest: Any) -> None:
        super().__init__(kind, message, **rest)
        self.status = status
        self.words = words


def refusal(status: int, headers: Mapping[str, str], body: str, *, secret: str, model: str) -> RefusalError:
    """Make an error of a reply that is no answer."""
    code, words = _said(body)
    words = _discreet(words, secret)
    kind, permanent, advice = _judge(status, f"{code} {words}", model)
    if kind == "unauthorised" and not secret:
        advice = f"The server wants a key ({status}): name the environment variable that holds it."
    said = f" The server says: “{words}”" if words else ""
    if kind == "redirect":
        said = f" That is {_discreet(_short(headers.get('location', '')), secret) or 'not said'}."
    return RefusalError(
        kind,
        advice + said,
        status=status,
        words=f"{code} {words}",
        permanent=permanent,
        retry_after=None if permanent else retry_after(headers),
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Read how long to wait, in seconds; a date is taken against the server's own clock where it gives one.

    >>> retry_after({"retry-after": "Wed, 01 Jan 2025 00:00:30 GMT", "date": "Wed, 01 Jan 2025 00:00:10 GMT"})
    20.0
    """
    value = headers.get("retry-after", "").strip()
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
    if status == 402 or (status == 429 and _NO_QUOTA.search(words)):
        return "out_of_quota", True, f"The account's quota is used up ({status}): see to it, then resume."
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


def _said(body: str) -> tuple[str, str]:
    """Find the code and the message in an error's body; a web page says nothing."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return "", "" if body.lstrip().startswith("<") else _short(body)
    if not isinstance(data, dict):
        return "", ""
    error = data.get("error", data)
    if isinstance(error, dict):
        words = error.get("message") or error.get("detail") or error.get("error") or ""
        return _short(error.get("code") or error.get("type") or ""), _short(words)
    return "", _short(error)


def _discreet(words: str, secret: str) -> str:
    """Some servers repeat the key that they refuse."""
    return words.replace(secret, "…") if secret else words


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    text = clean(" ".join(text.split()))[0]
    return text if len(text) <= _LONGEST_WORDS else f"{text[:_LONGEST_WORDS]}…"


def _moment(value: str) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(value).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
