"""What a server sent and where in it the answer stands go in, a Reply that can be stored comes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scoring.gateway_contract import Reply, Target
from scoring.wire import token_scores
from scoring.wire.cleaning import clean, count_of, plain, text_of
from scoring.wire.discretion import discreet
from scoring.wire.exchange import Exchanged


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of an answer as the server gave them; none of them is trusted."""

    said: str
    thought: str = ""
    finish_reason: Any = None
    prompt_tokens: Any = None
    completion_tokens: Any = None
    logprobs: Any = None
    raw: Mapping[str, Any] = field(default_factory=dict)


def reply(
    exchanged: Exchanged, parts: Parts, target: Target, vocabulary: int | None, notes: tuple[str, ...] = ()
) -> Reply:
    """Clean an answer and everything that comes with it; what a server says of itself never holds the key."""
    content, changes = clean(parts.said)
    truncated = exchanged.beginning or len(content) < len(parts.said)
    # The scores of an answer's beginning would pass for those of the whole.
    scores, remarks = (None, ()) if truncated else token_scores.read(parts.logprobs, vocabulary)
    return Reply(
        content=content,
        latency_seconds=exchanged.seconds,
        finish_reason=clean(discreet(text_of(parts.finish_reason), target.key)[:40])[0],
        prompt_tokens=count_of(parts.prompt_tokens),
        completion_tokens=count_of(parts.completion_tokens),
        tokens=scores,
        reasoning=clean(parts.thought)[0],
        truncated=truncated,
        notes=(*notes, *exchanged.notes, *changes, *remarks),
        raw=plain(discreet(dict(parts.raw), target.key)),
    )
