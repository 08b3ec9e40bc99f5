"""A run's settings go in, the rule that scores come out; text goes in, what the rule compares comes out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, TypedDict, cast, get_args

from scoring.language.text import fold

Rule = Literal["keywords", "paper"]

SHORT_RESPONSE = "The response is shorter than three characters: read it before trusting the score."

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


class Hit(NamedTuple):
    """A keyword that stands in the response, and the list that it comes from."""

    keyword: str
    source: str


class Reading(TypedDict):
    """How responses are read: the keyword arguments of every function that judges one."""

    literal: bool
    rule: Rule


def chosen(settings: Mapping[str, Any]) -> Reading:
    """Read the two settings of a run, `scorer` and `literal`."""
    return Reading(
        literal=bool(settings.get("literal", False)), rule=checked(settings.get("scorer", "keywords"))
    )


def checked(rule: str) -> Rule:
    """Refuse the name of a rule that does not exist."""
    if rule not in get_args(Rule):
        raise ValueError(f"scorer: there is no rule {rule!r}; there are: {', '.join(get_args(Rule))}.")
    return cast(Rule, rule)


def comparable(text: str, field: str, *, literal: bool) -> str:
    """Lower the text, folded unless `literal`; the field names itself if it is no text."""
    if not isinstance(text, str):
        raise TypeError(f"{field} must be text, not {type(text).__name__}.")
    return (text if literal else fold(text)).lower()


def first_hit(text: str, keywords: Iterable[str], source: str) -> Hit | None:
    """Find the first keyword, in the order of the list, that the text contains."""
    return next((Hit(keyword, source) for keyword in keywords if keyword in text), None)


def without_spaces(text: str) -> str:
    """Drop all white space, as the paper does with Chinese responses."""
    return "".join(text.split())


def is_chinese(text: str) -> bool:
    """Say whether the text has a Chinese character.

    >>> is_chinese("TLS 握手"), is_chinese("TLS handshake")
    (True, False)
    """
    return _HAN.search(text) is not None


def flags(response: str) -> tuple[str, ...]:
    """Say what a person should look at whatever the score."""
    return (SHORT_RESPONSE,) if len(response.strip()) < 3 else ()
