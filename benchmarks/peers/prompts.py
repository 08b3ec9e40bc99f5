"""The prompts that every tool sends: an instruction and a question, no two alike."""

from __future__ import annotations

from scoring.suites.cybersec import SYSTEM_PROMPT

REQUESTS = 2_000
LATENCY = 0.5
MODEL = "mock-small"
INSTRUCTION = SYSTEM_PROMPT


def questions() -> list[str]:
    """Write the questions."""
    return [
        f"Question {number}: what must the owner of the system do about its logs?"
        for number in range(1, REQUESTS + 1)
    ]


def sent() -> set[str]:
    """Say what the mock server should have been asked, each once."""
    return {f"{INSTRUCTION}\n{question}" for question in questions()}
