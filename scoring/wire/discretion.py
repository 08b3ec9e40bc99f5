"""What a server said and a key go in; the same without the key comes out."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any
from urllib.parse import quote, quote_plus


def discreet(value: Any, secret: str) -> Any:
    """Put a dot for the key wherever a server repeats it, plain or as it is written in an address or in JSON.

    Do so before anything is shortened: half a key would not be recognised.

    >>> discreet({"url": "/v1?key=sk%2Fopen", "said": ["Bearer sk/open"]}, "sk/open")
    {'url': '/v1?key=…', 'said': ['Bearer …']}
    """
    secret = secret.strip()
    if not secret:
        return value
    if isinstance(value, str):
        return _spellings(secret).sub("…", value)
    if isinstance(value, dict):
        return {discreet(name, secret): discreet(part, secret) for name, part in value.items()}
    return [discreet(part, secret) for part in value] if isinstance(value, list) else value


@lru_cache(maxsize=64)
def _spellings(secret: str) -> re.Pattern[str]:
    plain = {secret, json.dumps(secret)[1:-1]}
    encoded = {quote(secret), quote(secret, safe=""), quote_plus(secret)} - plain
    either = [re.escape(word) for word in plain] + [f"(?i:{re.escape(word)})" for word in encoded]
    return re.compile("|".join(sorted(either, key=len, reverse=True)))
