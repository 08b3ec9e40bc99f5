"""A number goes in, a file of as many CCoP rows comes out: 1.2 KB each, in the words of the samples."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scoring.ordering import DIFFICULTIES

_SAMPLES = Path(__file__).resolve().parent.parent / "samples" / "ccop"
_DOMAINS = ("IT", "OT", "IT/OT")
_WORDS_IN_A_ROW = 5  # are taken together, so that phrases occur


def keys(count: int) -> Iterator[str]:
    """Give test ids: B1-000 to B99-999, and then those with a leading zero."""
    forms = [f"B{number}" for number in range(1, 100)] + [f"B{number:02}" for number in range(1, 10)]
    for number in range(count):
        yield f"{forms[number // 1000]}-{number % 1000:03}"


def write(path: Path, count: int, *, changed_every: int = 0) -> None:
    """Write rows; every so many of them differ from those that are written without a change."""
    writer = _Writer()
    with path.open("w") as file:
        for number, key in enumerate(keys(count)):
            row = writer.row(key, number)
            if changed_every and number % changed_every == 0:
                row["expected_response"] += " This was reviewed."
            file.write(json.dumps(row) + "\n")


class _Writer:
    """Somebody who knows the words of the samples, and always writes the same rows with them."""

    def __init__(self) -> None:
        self._chance = random.Random(7)
        lines = (line for path in sorted(_SAMPLES.glob("*.jsonl")) for line in path.read_text().splitlines())
        self._words = [word for line in lines for word in json.loads(line)["expected_response"].split()]

    def row(self, key: str, number: int) -> dict[str, Any]:
        return {
            "test_id": key,
            "benchmark_type": f"B{int(key[1:].partition('-')[0])}",
            "section": str(number % 11 + 1),
            "clause_reference": f"{number % 11 + 1}.{number % 7 + 1}.{number % 5 + 1}",
            "difficulty": DIFFICULTIES[number % 4],
            "question": self._text(7),
            "expected_response": self._text(8),
            "expected_label": "Compliant" if number % 2 else "Non-Compliant",
            "evaluation_criteria": {"strategy": "semantic", "guidance": self._text(2)},
            "key_facts": [self._text(2) for _ in range(4)],
            "forbidden_claims": [self._text(2)],
            "metadata": {"domain": _DOMAINS[number % 3], "case": number},
        }

    def _text(self, runs: int) -> str:
        starts = (self._chance.randrange(len(self._words) - _WORDS_IN_A_ROW) for _ in range(runs))
        return " ".join(" ".join(self._words[start : start + _WORDS_IN_A_ROW]) for start in starts)
