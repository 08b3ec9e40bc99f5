"""What a server sent and where in it the answer stands go in, a Reply that can be stored comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scoring.gateway_contract import AnswerScores, Reply, Target
from scoring.wire import token_scores
from scoring.wire.cleaning import clean, count_of, plain, text_of
from scoring.wire.discretion import discreet
from scoring.wire.exchange import Exchanged

_MIXED = "The server's log-probabilities do not tell the answer from the reasoning; they were left out."


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
    scored = _Scored() if truncated else _scored(parts, content, vocabulary)
    finish_reason = clean(discreet(text_of(parts.finish_reason), target.key)[:40])[0]
    return Reply(
        content=content,
        latency_seconds=exchanged.seconds,
        finish_reason=finish_reason,
        prompt_tokens=count_of(parts.prompt_tokens),
        completion_tokens=count_of(parts.completion_tokens),
        tokens=scored.tokens,
        token_texts=scored.texts,
        reasoning=clean(parts.thought)[0],
        truncated=truncated,
        notes=(*notes, *exchanged.notes, *changes, *scored.notes, *_ending(parts, content, finish_reason)),
        raw=plain(discreet(dict(parts.raw), target.key)),
    )


class _Scored(NamedTuple):
    tokens: AnswerScores | None = None
    texts: Sequence[str] | None = None
    notes: tuple[str, ...] = ()


def _scored(parts: Parts, content: str, vocabulary: int | None) -> _Scored:
    """Read the tokens' scores; those of a reasoning that is given apart are no part of the answer's."""
    tokens, remarks = token_scores.read(parts.logprobs, vocabulary)
    texts = token_scores.texts(parts.logprobs)
    if tokens is None or not parts.thought:
        return _Scored(tokens, texts if tokens else None, remarks)
    kept = token_scores.of_the_answer(tokens, texts or (), content)
    if kept is None:
        return _Scored(notes=(*remarks, _MIXED))
    return _Scored(token_scores.only(tokens, kept), (texts or ())[kept], remarks)


def _ending(parts: Parts, content: str, finish_reason: str) -> tuple[str, ...]:
    """Say what an answer's end means where it is not the model's own."""
    if finish_reason == "content_filter":
        return ("The server's content filter ended the answer.",)
    if finish_reason == "length" and parts.thought and not content.strip():
        return ("The model used all its tokens up while reasoning: give it more max_tokens.",)
    return ()
