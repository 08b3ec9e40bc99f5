"""An endpoint's parameters go in; typed settings, or a GatewayError that names a bad one, come out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from scoring.gateway_contract import GatewayError

# Set by the gateways themselves: another value would make an answer unreadable, or of another question.
_RESERVED: Final = frozenset(
    {
        "model",
        "messages",
        "prompt",
        "input",
        "stream",
        "n",
        "best_of",
        "echo",
        "response_format",
        "format",
        "tools",
    }
)
# So many of the likeliest tokens at each place the services of either kind give; who asks for more gets none.
_MOST_OF_A_CHAT: Final = 20
_MOST_OF_A_COMPLETION: Final = 5


@dataclass(frozen=True, slots=True)
class Settings:
    """How to ask; None where the server shall decide. `rest` is for the server alone."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    logprobs: bool = False
    top_logprobs: int = 0
    completion: bool = False
    context_tokens: int | None = None
    vocabulary: int | None = None
    rest: Mapping[str, Any] = field(default_factory=dict)


def read(parameters: Mapping[str, Any]) -> Settings:
    """Check an endpoint's parameters; one that is None counts as not given.

    >>> read({"temperature": 0, "max_tokens": 64, "top_k": 40})
    Settings(temperature=0.0, top_p=None, max_tokens=64, seed=None, stop=(), logprobs=False, top_logprobs=0, \
completion=False, context_tokens=None, vocabulary=None, rest={'top_k': 40})
    """
    given = {name: value for name, value in parameters.items() if value is not None}
    if reserved := sorted(_RESERVED & given.keys()):
        raise _wrong(reserved[0], "is set by the portal itself; leave it out")
    known: dict[str, Any] = {
        name: _READERS[name](name, value) for name, value in given.items() if name in _READERS
    }
    return Settings(**known, rest={name: value for name, value in given.items() if name not in _READERS})


def with_token_scores(given: Mapping[str, Any]) -> dict[str, Any]:
    """Ask for token scores besides, as many as servers give, unless the parameters refuse them.

    >>> with_token_scores({"temperature": 0}), with_token_scores({"logprobs": False})
    ({'logprobs': True, 'top_logprobs': 20, 'temperature': 0}, {'logprobs': False})
    """
    known = {name: value for name, value in given.items() if value is not None}
    if known.get("logprobs", True) is False:
        return known
    most = _MOST_OF_A_COMPLETION if known.get("completion") else _MOST_OF_A_CHAT
    return {"logprobs": True, "top_logprobs": most} | known


def sampled(settings: Settings, sample: int) -> int | None:
    """Give each further answer to the same prompt a seed of its own: the same one would repeat the answer."""
    return None if settings.seed is None else (settings.seed + sample - 1) % 2**31


def _share(name: str, value: Any) -> float:
    return _between(name, value, 0.0, 1.0)


def _heat(name: str, value: Any) -> float:
    return _between(name, value, 0.0, 10.0)


def _between(name: str, value: Any, low: float, high: float) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not number or not low <= value <= high:
        raise _wrong(name, f"must be a number from {low:g} to {high:g}")
    return float(value)


def _count(name: str, value: Any) -> int:
    return _whole(name, value, 1)


def _whole(name: str, value: Any, low: int = 0) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value < 2**31:
        raise _wrong(name, f"must be a whole number from {low} up")
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(name, "must be true or false")
    return value


def _stops(name: str, value: Any) -> tuple[str, ...]:
    stops = [value] if isinstance(value, str) else value
    if not isinstance(stops, list | tuple) or not all(isinstance(stop, str) and stop for stop in stops):
        raise _wrong(name, "must be a text or a list of texts")
    return tuple(stops)


def _wrong(name: str, reason: str) -> GatewayError:
    return GatewayError("bad_parameters", f"The parameter {name} {reason}.")


_READERS: Final[dict[str, Callable[[str, Any], Any]]] = {
    "temperature": _heat,
    "top_p": _share,
    "max_tokens": _count,
    "seed": _whole,
    "stop": _stops,
    "logprobs": _flag,
    "top_logprobs": _whole,
    "completion": _flag,
    "context_tokens": _count,
    "vocabulary": _count,
}
