"""Numbers go in, rows of the CCoP suite come out, as objects and as lines."""

from __future__ import annotations

import json
from typing import Any

QUESTION = "A water utility keeps remote access to its control system open at all times. Does it comply?"


def ccop(test_id: str = "B3-001", **changes: Any) -> dict[str, Any]:
    """Make a row that the suite takes; a change to None takes a field away."""
    row = {
        "test_id": test_id,
        "benchmark_type": test_id.partition("-")[0],
        "section": "5",
        "clause_reference": "5.2.1",
        "difficulty": "Medium",
        "question": QUESTION,
        "expected_response": "It does not: remote access is to be open only while it is needed.",
        "evaluation_criteria": {"strategy": "semantic"},
        "key_facts": [
            "Remote access needs approval.",
            "Remote access is closed after use.",
            "Use is logged.",
        ],
        "metadata": {"domain": "OT"},
        **changes,
    }
    return {name: value for name, value in row.items() if value is not None}


def lines(*rows: Any) -> bytes:
    """Write rows as JSON lines."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)
