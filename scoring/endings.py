"""An answer and how it ended go in; what a person should know of its end comes out, as flags."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.language.text import without_reasoning

LIMIT = "Ran into the token limit"
UNANSWERED = "Only reasoning, no answer"
FLAGS = (LIMIT, UNANSWERED)
# What servers call it when a model has used up the tokens that it was given.
AT_THE_LIMIT = ("length", "max_tokens")


def flags(content: str, finish_reason: str, reasoning: str = "") -> Sequence[str]:
    """Flag an answer that was cut off, and one in which a model never came to the end of its reasoning.

    >>> flags("<think>The owner must", "length")
    ['Ran into the token limit', 'Only reasoning, no answer']
    >>> flags("<think>Hm.</think>Compliant", "stop")
    []
    """
    reasoned = bool(content.strip() or reasoning.strip())
    found = {
        LIMIT: finish_reason.lower() in AT_THE_LIMIT,
        UNANSWERED: reasoned and not without_reasoning(content).strip(),
    }
    return [flag for flag, raised in found.items() if raised]
