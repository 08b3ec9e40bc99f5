"""The text of a line goes in; its JSON object and its canonical form come out, or every reason why not."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from scoring.jsonl import reasons
from scoring.jsonl.reasons import LARGEST

_canonical = msgspec.json.Encoder(order="sorted").encode


def parse(text: str) -> tuple[dict[str, Any], bytes]:
    """Read one object, and write it in its canonical form: sorted names, no spaces, UTF-8.

    The canonical form does not depend on the order of names, on spaces or on escapes. Raises ObjectError.

    >>> parse('{"b": [1.0, "\\u00e9"], "a": -0.0}')[1].decode()
    '{"a":0.0,"b":[1.0,"é"]}'
    """
    try:
        found = _strict(text)
        if type(found) is dict and not reasons.too_deep(text, found):
            canonical = _canonical(found)
            if b"\\u0000" not in canonical:
                return found, canonical
    except (ValueError, RecursionError):
        pass
    reasons.explain(text)
    # Nothing is wrong with a text that only speaks of the escape: a backslash, and u0000 after it.
    return found, _canonical(found)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError
    return found


def _integer(digits: str) -> int:
    if len(digits) > 15 and (len(digits) > 17 or abs(int(digits)) > LARGEST):
        raise ValueError
    return int(digits)


def _decimal(digits: str) -> float:
    value = float(digits)
    if not -LARGEST <= value <= LARGEST:
        raise ValueError
    return value + 0.0  # turns -0.0, which databases do not keep, into 0.0


def _constant(name: str) -> float:
    raise ValueError(name)


# It refuses whatever is odd without saying why, and is quick.
_strict = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_decimal, parse_constant=_constant
).decode
