"""How answers end: at the limit of tokens, or before the reasoning did."""

from __future__ import annotations

import pytest

from scoring import endings
from scoring.endings import LIMIT, UNANSWERED


@pytest.mark.parametrize(
    ("content", "finish_reason", "reasoning", "flags"),
    [
        ("Compliant.", "stop", "", []),
        ("Compliant.", "", "", []),
        ("Compliant, because", "length", "", [LIMIT]),
        ("Compliant, because", "MAX_TOKENS", "", [LIMIT]),
        ("<think>The owner", "length", "", [LIMIT, UNANSWERED]),
        ("<think>The owner</think>  ", "stop", "", [UNANSWERED]),
        ("", "length", "The owner", [LIMIT, UNANSWERED]),
        ("", "stop", "", []),
        ("<think>Hm.</think>Compliant.", "stop", "Hm.", []),
    ],
)
def test_it_flags_how_an_answer_ended(
    content: str, finish_reason: str, reasoning: str, flags: list[str]
) -> None:
    assert endings.flags(content, finish_reason, reasoning) == flags
